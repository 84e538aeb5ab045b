import { TandemError } from '@tandem/errors';
import { agent, aiserver } from '@tandem/proto';
import { answerError, answerStreamError } from '../server/connect-answers.ts';
import { mediaType, pathOf, type Request, type Response } from '../server/exchange.ts';

const RPC_PATH = /^\/((?:\w+\.)+\w+)\/(\w+)$/;

const SERVICES = [
  agent.AgentService,
  aiserver.AiService,
  aiserver.AnalyticsService,
  aiserver.BidiService,
  aiserver.DashboardService,
  aiserver.HealthService,
  aiserver.NetworkService,
  aiserver.ServerConfigService,
];

/** All methods that the wire knows, as "package.Service/Method". */
export const KNOWN_METHODS: readonly string[] = SERVICES.flatMap((service) =>
  service.methods.map((method) => `${service.typeName}/${method.name}`),
);

/** The method that a request calls, if it is an RPC at all. */
export function rpcMethodOf(request: Request): string | undefined {
  const match = request.method === 'POST' ? RPC_PATH.exec(pathOf(request)) : null;
  return match ? `${match[1]}/${match[2]}` : undefined;
}

/** Tells a client that nobody serves a method, in the form that its kind of call expects. */
export function answerUnimplemented(request: Request, response: Response): void {
  const error = new TandemError('unsupported');
  const type = mediaType(request);
  if (type.startsWith('application/connect+')) answerStreamError(request, response, error, type);
  else answerError(request, response, error);
}
