/** What the model has a client do: look, change something (once and only once), or ask its user. */
export const TOOLS = ['read', 'write', 'shell', 'ask'] as const;
export type Tool = (typeof TOOLS)[number];

/** Calls that the model makes side by side, after so many tokens of its answer. */
export interface ToolBatch {
  readonly after: number;
  readonly tools: readonly Tool[];
}

/** Batches as text, for the prompt: `4=rs,9=w`. */
export function formatBatches(batches: readonly ToolBatch[]): string {
  return batches.map(({ after, tools }) => `${after}=${tools.map(([letter]) => letter).join('')}`).join(',');
}

/** Reads what `formatBatches` wrote. */
export function parseBatches(text: string): ToolBatch[] {
  if (text === '') return [];
  return text.split(',').map((batch) => {
    const [after, letters = ''] = batch.split('=');
    return { after: Number(after), tools: [...letters].map(toolOf) };
  });
}

/** Names a call over a whole run; whatever is asked, done and told of it says this name. */
export function callName(script: string, batch: number, index: number): string {
  return `call:${script}:${batch}:${index};`;
}

/** The call that a request of the model's, or a result, is about. */
export function callNameIn(text: string): string | undefined {
  return /call:[^;]+;/.exec(text)?.[0];
}

/** Whether carrying it out twice is not the same as once. */
export function hasEffect(tool: Tool): boolean {
  return tool === 'write' || tool === 'shell';
}

/** A tool of the agent's with its arguments, as a model would call it. */
export function toolRequest(tool: Tool, name: string): { name: string; input: unknown } {
  switch (tool) {
    case 'read':
      return { name: 'read_file', input: { path: `/sim/${name}` } };
    case 'write':
      return { name: 'write_file', input: { path: `/sim/${name}`, content: `written by ${name}` } };
    case 'shell':
      return { name: 'run_command', input: { command: `do ${name}` } };
    case 'ask':
      return { name: 'ask_question', input: { questions: [{ prompt: name, options: ['yes', 'no'] }] } };
  }
}

function toolOf(letter: string): Tool {
  const tool = TOOLS.find((one) => one.startsWith(letter));
  if (!tool) throw new Error(`no tool ${letter}`);
  return tool;
}
