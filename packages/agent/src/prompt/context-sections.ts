import type { agent } from '@tandem/proto';

/** A part of what the model is told of its surroundings; told again only when it has changed. */
export interface ContextSection {
  readonly tag: string;
  readonly body: string;
}

/** What a client's request context says to a model. Sections without content are empty. */
export function contextSections(context: agent.RequestContext, now: number): ContextSection[] {
  return [
    { tag: 'environment', body: environment(context.env, now) },
    { tag: 'git', body: git(context.gitRepos) },
    { tag: 'rules', body: rules(context) },
    { tag: 'skills', body: skills(context) },
    { tag: 'mcp_instructions', body: mcpInstructions(context.mcpInstructions) },
    { tag: 'additional_context', body: context.hooksAdditionalContext ?? '' },
  ];
}

function environment(env: agent.RequestContextEnv | undefined, now: number): string {
  if (!env) return '';
  const folders = env.workspacePaths.length > 0 ? env.workspacePaths.join(', ') : env.processWorkingDirectory;
  return lines([
    ['Operating system', env.osVersion],
    ['Shell', env.shell],
    [env.workspacePaths.length > 1 ? 'Workspace folders' : 'Workspace folder', folders],
    ['Terminal output is kept in', env.terminalsFolder],
    ['Transcripts of earlier agents are in', env.agentTranscriptsFolder],
    ['Date', date(env.timeZone, now)],
  ]);
}

/** The day, where the user is. */
function date(timeZone: string, now: number): string {
  const format = (zone: string) =>
    new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(now);
  try {
    return timeZone ? `${format(timeZone)} (${timeZone})` : format('UTC');
  } catch {
    // A client may name a zone that this server's data does not know.
    return format('UTC');
  }
}

function git(repos: readonly agent.GitRepoInfo[]): string {
  return repos
    .map(({ path, branchName, status }) =>
      lines([
        ['Repository', path],
        ['Branch', branchName],
        ['Status at the start of this message', status.trim()],
      ]),
    )
    .join('\n\n');
}

function rules({ rules, nonFileRules, cloudRule }: agent.RequestContext): string {
  const texts: string[] = [];
  for (const rule of [...rules, ...nonFileRules]) {
    const type = rule.type?.type;
    if (type?.case === 'agentFetched') {
      texts.push(`To be read when it matters: ${rule.fullPath} - ${type.value.description}`);
    } else if (type?.case === 'fileGlobbed') {
      texts.push(`For files like ${type.value.globs.join(', ')} (${rule.fullPath}):\n${rule.content.trim()}`);
    } else if (type?.case !== 'manuallyAttached' && rule.content.trim()) {
      texts.push(`${rule.fullPath ? `From ${rule.fullPath}:\n` : ''}${rule.content.trim()}`);
    }
  }
  if (cloudRule?.trim()) texts.push(cloudRule.trim());
  return texts.join('\n\n');
}

function skills({ agentSkills }: agent.RequestContext): string {
  const known = agentSkills.filter((skill) => !skill.disableModelInvocation && !skill.parseError);
  if (known.length === 0) return '';
  const list = known.map(({ fullPath, description }) => `- ${fullPath}: ${description}`).join('\n');
  return `Instructions for special tasks. Read a file when its task comes up:\n${list}`;
}

function mcpInstructions(servers: readonly agent.McpInstructions[]): string {
  return servers
    .filter(({ instructions }) => instructions.trim())
    .map(({ serverName, instructions }) => `From the server ${serverName}:\n${instructions.trim()}`)
    .join('\n\n');
}

function lines(entries: readonly (readonly [string, string | undefined])[]): string {
  return entries
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}: ${value?.includes('\n') ? `\n${value}` : value}`)
    .join('\n');
}
