import type { DescMessage } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import {
  ACTION_FIELDS,
  ACTION_KINDS,
  CLIENT_MESSAGES,
  PREWARM_REQUEST,
  RUN_REQUEST,
} from './client-messages.ts';
import { EXECUTION_FIELDS, EXECUTIONS } from './executions.ts';
import {
  QUERIES,
  QUERY_FIELDS,
  SERVER_FIELDS,
  SERVER_MESSAGES,
  UPDATE_FIELDS,
  UPDATES,
} from './server-messages.ts';
import type { Treatment } from './treatment.ts';

/** One table of docs/protocol.md: every field of a message, and what becomes of it. */
export interface WireTable {
  readonly title: string;
  readonly message: DescMessage;
  /** By the field's name in TypeScript. */
  readonly rows: Readonly<Record<string, Treatment>>;
}

/** All of them, in the order in which they are printed. */
export const WIRE_TABLES: readonly WireTable[] = [
  { title: 'AgentClientMessage', message: agent.AgentClientMessageSchema, rows: CLIENT_MESSAGES },
  { title: 'AgentRunRequest', message: agent.AgentRunRequestSchema, rows: RUN_REQUEST },
  {
    title: 'PrewarmRequest',
    message: agent.PrewarmRequestSchema,
    rows: { ...RUN_REQUEST, ...PREWARM_REQUEST },
  },
  {
    title: 'Actions (ConversationAction)',
    message: agent.ConversationActionSchema,
    rows: { ...ACTION_KINDS, ...ACTION_FIELDS },
  },
  {
    title: 'AgentServerMessage',
    message: agent.AgentServerMessageSchema,
    rows: { ...SERVER_MESSAGES, ...SERVER_FIELDS },
  },
  {
    title: 'Updates (InteractionUpdate)',
    message: agent.InteractionUpdateSchema,
    rows: { ...UPDATES, ...UPDATE_FIELDS },
  },
  {
    title: 'Queries (InteractionQuery)',
    message: agent.InteractionQuerySchema,
    rows: { ...QUERIES, ...QUERY_FIELDS },
  },
  {
    title: 'Executions (ExecServerMessage)',
    message: agent.ExecServerMessageSchema,
    rows: { ...EXECUTIONS, ...EXECUTION_FIELDS },
  },
];

/** The tables as Markdown, as docs/protocol.md has them. */
export function renderWireTables(): string {
  return WIRE_TABLES.map(renderTable).join('\n\n');
}

function renderTable({ title, message, rows }: WireTable): string {
  const lines = message.fields.map(({ name, localName }) => {
    const row = rows[localName];
    return `| \`${name}\` | ${row?.does ?? '?'} | ${row?.how ?? '?'} |`;
  });
  return [`### ${title}`, '', '| field | | |', '| --- | --- | --- |', ...lines].join('\n');
}
