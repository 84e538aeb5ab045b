import { validate } from 'dockerfile-utils';
import { imageFaults } from '../check-helm/house-rules.ts';
import { assignments, healthCommand, readStages, type Stage } from './dockerfile.ts';

const LABELS = ['title', 'description', 'licenses', 'base.name', 'version', 'revision', 'created'].map(
  (name) => `org.opencontainers.image.${name}`,
);

/**
 * What is wrong with a Dockerfile: by the linter of Docker's language server, and by our own rules for the stages that
 * become images.
 */
export function dockerfileFaults(text: string, targets: readonly string[]): string[] {
  const linted = validate(text).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`);
  const stages = readStages(text);
  const names = new Set(stages.map(({ name }) => name));
  return [
    ...linted,
    ...stages.filter(({ base }) => !names.has(base)).flatMap(({ base }) => imageFaults(base)),
    ...stages.flatMap(stepFaults),
    ...targets.flatMap((target) => {
      const stage = stages.find(({ name }) => name === target);
      return (stage ? finalFaults(stage) : ['is missing']).map((fault) => `${target}: ${fault}`);
    }),
  ];
}

function stepFaults({ steps }: Stage): string[] {
  return steps.flatMap(({ keyword, text, line }) => {
    const faults: string[] = [];
    if (keyword === 'ADD') faults.push('ADD does more than it says; use COPY');
    if (/\b(curl|wget)\b.*\|/.test(text)) faults.push('what is fetched is run unseen');
    if (/\bsudo\b|:latest\b/.test(text)) faults.push('sudo or a tag that moves');
    if (['ENV', 'ARG'].includes(keyword) && /(SECRET|PASSWORD|TOKEN|_KEY)=/.test(text))
      faults.push('holds a secret');
    return faults.map((fault) => `line ${line}: ${fault}`);
  });
}

function finalFaults({ steps }: Stage): string[] {
  const last = (keyword: string) => steps.findLast((step) => step.keyword === keyword);
  const faults: string[] = [];
  const user = last('USER')?.text;
  if (!user || !/^[1-9]\d*(:[1-9]\d*)?$/.test(user)) faults.push('USER is no number other than 0');
  if (!last('CMD')?.json && !last('ENTRYPOINT')?.json)
    faults.push('what it runs is not in JSON form, so it needs a shell');
  const health = last('HEALTHCHECK');
  if (!health || !healthCommand(health)) faults.push('no health check in JSON form');
  if (!last('EXPOSE')) faults.push('no EXPOSE');
  const labels = assignments(
    steps
      .filter(({ keyword }) => keyword === 'LABEL')
      .map(({ text }) => text)
      .join(' '),
  );
  for (const label of LABELS) if (!labels[label]) faults.push(`no label ${label}`);
  if (steps.some(({ keyword }) => keyword === 'RUN'))
    faults.push('runs something in the image that is shipped');
  return faults;
}
