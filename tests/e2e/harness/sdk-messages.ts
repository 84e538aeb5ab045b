import type { AgentDefinition, McpServerConfig, SDKImage, SDKMessage, TokenUsage } from '@cursor/sdk';

/** What the parent asks of the SDK's process. */
export type SdkOrder = { readonly id: number; readonly agent: string } & (
  | {
      readonly type: 'create';
      readonly apiKey: string;
      readonly model: string;
      readonly cwd: string;
      readonly retries: boolean;
      readonly setup: SdkSetup;
    }
  | { readonly type: 'say'; readonly text: string; readonly images: readonly SDKImage[] }
  | { readonly type: 'cancel' }
  | { readonly type: 'steer'; readonly text: string }
);

/** What an agent is given beside a model. */
export interface SdkSetup {
  readonly mcpServers?: Record<string, McpServerConfig>;
  readonly agents?: Record<string, AgentDefinition>;
  /** Names of tools of the program's own; each answers with its name and arguments. */
  readonly customTools?: readonly string[];
}

/** What it answers: to an order by its id; id 0 with a delta as it comes, and once without when it has started. */
export interface SdkAnswer {
  readonly id: number;
  readonly turn?: SdkTurn;
  /** What the SDK says that became of a steered message. */
  readonly steered?: string;
  readonly error?: string;
  readonly agent?: string;
  readonly delta?: string;
}

/** A turn as the SDK told it. */
export interface SdkTurn {
  readonly status: string;
  /** The SDK's own idea of the result: the text of the last segment. */
  readonly result: string | undefined;
  /** All text deltas. */
  readonly shown: string;
  /** Output of commands, as it came while they ran. */
  readonly output: string;
  readonly messages: readonly SDKMessage[];
  readonly error: string | undefined;
  readonly usage: TokenUsage | undefined;
  readonly requestId: string | undefined;
}
