import type { agent } from '@tandem/proto';

/** What a turn's client, user, model and server allow beside the tools that every turn has. */
export interface Offers {
  /** The model was trained to change files by patches. */
  readonly patches: boolean;
  /** There is a user who can be asked. */
  readonly user: boolean;
  readonly lints: boolean;
  readonly mcpResources: boolean;
  readonly webFetch: boolean;
  readonly webSearch: boolean;
  /** The user's own kinds of subagents, and the models to choose from; undefined: none, as in a run that is one. */
  readonly task:
    | { readonly subagents: readonly agent.CustomSubagent[]; readonly models: readonly string[] }
    | undefined;
}

/** What decides which tools a turn has. */
export interface ToolChoice {
  readonly mcpTools: readonly agent.McpToolDefinition[];
  /** Lists of kinds, as the client's headers have them; undefined: no such header. */
  readonly allowed: string | undefined;
  readonly excluded: string | undefined;
  readonly readOnly: boolean;
  readonly offers: Offers;
}
