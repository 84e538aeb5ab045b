import type { agent } from '@tandem/proto';
import { attribution, files, notes, projectLayouts, userChanges } from './workspace-sections.ts';

/** A part of what the model is told of its surroundings; told again only when it has changed. */
export interface ContextSection {
  readonly tag: string;
  readonly body: string;
}

/**
 * What a client's request context says to a model. Sections without content are empty.
 * @param run may say that the workspace is to be left out
 */
export function contextSections(
  context: agent.RequestContext,
  run: agent.AgentRunRequest | undefined,
  now: number,
): ContextSection[] {
  const workspace = (tag: string, body: () => string): ContextSection => ({
    tag,
    body: run?.excludeWorkspaceContext ? '' : body(),
  });
  return [
    { tag: 'environment', body: environment(context.env, now) },
    workspace('git', () => git(context.gitRepos)),
    workspace('project_layout', () => projectLayouts(context.projectLayouts)),
    workspace('rules', () => rules(context)),
    workspace('skills', () => skills(context, run?.skillOptions)),
    { tag: 'mcp_instructions', body: mcpInstructions(context, run?.mcpFileSystemOptions) },
    workspace('files', () => files(context.fileContents)),
    workspace('notes', () => notes(context)),
    workspace('user_changes', () => userChanges(context.precomputedHumanChanges)),
    { tag: 'attribution', body: attribution(context) },
    { tag: 'additional_context', body: context.hooksAdditionalContext?.trim() ?? '' },
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

/** Making a format takes half a millisecond. There are some 600 zones, but more ways to write them. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 1000;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(timeZone, format);
  return format;
}

/** The day, where the user is. */
function date(timeZone: string, now: number): string {
  const format = (zone: string) => formatOf(zone).format(now);
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

function skills(
  { agentSkills, skillOptions }: agent.RequestContext,
  options: agent.SkillOptions | undefined,
): string {
  const found = new Map<string, string>();
  for (const { fullPath, description, disableModelInvocation, parseError } of agentSkills) {
    if (!disableModelInvocation && !parseError) found.set(fullPath, description);
  }
  for (const skill of [...(options?.skillDescriptors ?? []), ...(skillOptions?.skillDescriptors ?? [])]) {
    const path = skill.readmeFilePath || skill.folderPath;
    if (skill.enabled && !skill.parseError && path && !found.has(path)) found.set(path, skill.description);
  }
  if (found.size === 0) return '';
  const list = [...found].map(([path, description]) => `- ${path}: ${description}`).join('\n');
  return `Instructions for special tasks. Read a file when its task comes up:\n${list}`;
}

function mcpInstructions(
  { mcpInstructions: told, mcpFileSystemOptions, mcpMetaToolOptions }: agent.RequestContext,
  options: agent.McpFileSystemOptions | undefined,
): string {
  const byServer = new Map<string, string>();
  for (const { serverName, instructions } of told) byServer.set(serverName, instructions.trim());
  for (const { mcpDescriptors } of [options, mcpFileSystemOptions, mcpMetaToolOptions].filter((o) => !!o)) {
    for (const { serverName, serverUseInstructions = '' } of mcpDescriptors) {
      if (!byServer.has(serverName)) byServer.set(serverName, serverUseInstructions.trim());
    }
  }
  return [...byServer]
    .filter(([, instructions]) => instructions)
    .map(([server, instructions]) => `From the server ${server}:\n${instructions}`)
    .join('\n\n');
}

function lines(entries: readonly (readonly [string, string | undefined])[]): string {
  return entries
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}: ${value?.includes('\n') ? `\n${value}` : value}`)
    .join('\n');
}
