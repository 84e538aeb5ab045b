import { DockerfileParser, type Instruction, ModifiableInstruction } from 'dockerfile-ast';

/** One instruction, its continuation lines joined. */
export interface Step {
  readonly keyword: string;
  /** Options such as `from` of `--from=stage`. */
  readonly flags: Readonly<Record<string, string>>;
  /** What follows the options. */
  readonly text: string;
  /** The words, where the instruction is in JSON form. */
  readonly json: readonly string[] | undefined;
  readonly line: number;
}

/** A stage of a multi-stage build. */
export interface Stage {
  readonly name: string;
  /** Another stage, or an image. */
  readonly base: string;
  readonly steps: readonly Step[];
}

/** Reads the stages of a Dockerfile. */
export function readStages(dockerfile: string): Stage[] {
  const stages: { name: string; base: string; steps: Step[] }[] = [];
  for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) {
    const step = stepOf(instruction);
    if (step.keyword === 'FROM') {
      const [base = '', , name = String(stages.length)] = step.text.split(/\s+/);
      stages.push({ name, base, steps: [] });
    } else {
      stages.at(-1)?.steps.push(step);
    }
  }
  return stages;
}

function stepOf(instruction: Instruction): Step {
  // The parser takes leading options out of the arguments.
  const options = instruction instanceof ModifiableInstruction ? instruction.getFlags() : [];
  const text = (instruction.getRawArgumentsContent() ?? '').replaceAll(/\\\n\s*/g, ' ').trim();
  return {
    keyword: instruction.getKeyword().toUpperCase(),
    flags: Object.fromEntries(options.map((flag) => [flag.getName(), flag.getValue() ?? ''])),
    text,
    json: jsonOf(text),
    line: instruction.getRange().start.line + 1,
  };
}

function jsonOf(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The words of `A=b C="d e"`. */
export function assignments(text: string): Record<string, string> {
  const found = text.matchAll(/([\w.]+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g);
  return Object.fromEntries([...found].map(([, name, quoted, plain]) => [name, quoted ?? plain ?? '']));
}

/** The words of a health check in JSON form. */
export function healthCommand({ text }: Step): readonly string[] | undefined {
  return jsonOf(text.replace(/^CMD\s+/, ''));
}
