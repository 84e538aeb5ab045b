import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import type { KeyOwner, ModelListing } from '@tandem/platform';
import { agent, aiserver } from '@tandem/proto';
import { availableModels, defaultModelId, legacyUsableModels, usableModels } from './models.ts';

export interface SmallRpcDeps {
  /** Who is behind an `authorization` header. @throws TandemError bad_key, token_expired */
  identify(authorization: string | null): Promise<KeyOwner>;
  /** The models that a user may choose from, the default one first. */
  listing(owner: KeyOwner): readonly ModelListing[];
  readonly http2Config: number;
  /** Milliseconds since the epoch. */
  now(): number;
}

type Answer<O extends DescMessage> = MessageInitShape<O> | Promise<MessageInitShape<O>>;

/**
 * The small calls that clients make around a run. What is not here answers `unimplemented`. Those that clients cannot do
 * without (docs/protocol.md, 11) are open to everyone and say nothing about anyone.
 */
export function smallRpcRoutes(deps: SmallRpcDeps): (router: ConnectRouter) => void {
  return (router) => {
    /** For whoever asks. */
    const open = <I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      answer: (request: MessageShape<I>) => Answer<O>,
    ) => router.rpc(method, (request) => answer(request));
    /** For users only. */
    const known = <I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      answer: (owner: KeyOwner, request: MessageShape<I>) => Answer<O>,
    ) =>
      router.rpc(method, async (request, context) => {
        const owner = await deps.identify(context.requestHeader.get('authorization'));
        return answer(owner, request);
      });

    const { getServerConfig } = aiserver.ServerConfigService.method;
    open(getServerConfig, () => ({ http2Config: deps.http2Config, configVersion: 'tandem' }));

    const dashboard = aiserver.DashboardService.method;
    open(dashboard.getUserPrivacyMode, () => ({ privacyMode: aiserver.PrivacyMode.NO_STORAGE }));
    open(dashboard.getTeamReposOrEmptyIfNotInTeam, () => ({}));
    open(dashboard.getTeamAdminSettingsOrEmptyIfNotInTeam, () => ({}));
    known(dashboard.getMe, ({ ownerId, name }) => ({ authId: ownerId, firstName: name }));
    known(dashboard.getTeams, () => ({}));

    const analytics = aiserver.AnalyticsService.method;
    open(analytics.trackEvents, () => ({}));
    open(analytics.batch, () => ({}));
    open(analytics.bootstrapStatsig, () => ({}));

    const health = aiserver.HealthService.method;
    open(health.ping, ({ payload }) => ({ payload }));
    open(health.unary, () => ({ payload: '' }));
    const network = aiserver.NetworkService.method;
    open(network.isConnected, () => ({}));

    const ai = aiserver.AiService.method;
    open(ai.serverTime, () => serverTime(deps.now()));
    open(ai.healthCheck, () => ({ status: aiserver.HealthCheckResponse_Status.HEALTHY }));
    open(ai.privacyCheck, () => ({ isOnPrivacyPod: true, isGhostModeOn: true }));
    known(ai.availableModels, (owner) => availableModels(deps.listing(owner)));
    known(ai.getUsableModels, (owner) => legacyUsableModels(deps.listing(owner)));
    known(ai.getDefaultModel, (owner) => ({ model: defaultModelId(deps.listing(owner)) }));
    known(ai.getDefaultModelForCli, (owner) => ({
      model: { modelName: defaultModelId(deps.listing(owner)) },
    }));

    const agentMethods = agent.AgentService.method;
    known(agentMethods.nameAgent, (_owner, { userMessage }) => ({ name: nameAgent(userMessage) }));
    known(agentMethods.getUsableModels, (owner) => usableModels(deps.listing(owner)));
    known(agentMethods.getDefaultModelForCli, (owner) => ({
      model: usableModels(deps.listing(owner)).models[0],
    }));
    known(agentMethods.getAllowedModelIntents, () => ({}));
    known(agentMethods.updateConversationMetadata, () => ({}));
  };
}

function serverTime(now: number) {
  return { receiveTimestamp: now, transmitTimestamp: now };
}

const MAX_WORDS = 6;
const MAX_CHARACTERS = 48;

/** A short name for a conversation, from the first line of its first message. */
function nameAgent(userMessage: string): string {
  const line = userMessage.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  const words = line.trim().split(/\s+/).slice(0, MAX_WORDS).join(' ');
  const name =
    words.length <= MAX_CHARACTERS ? words : `${[...words].slice(0, MAX_CHARACTERS - 1).join('')}…`;
  return name || 'New conversation';
}
