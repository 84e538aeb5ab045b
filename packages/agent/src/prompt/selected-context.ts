import type { agent } from '@tandem/proto';

/**
 * What a user attached to a message, as texts, one a thing. Images are the caller's; videos, documents and browser tabs
 * have no text.
 * @param extra the texts of the extra context entries
 */
export function selectedContext(selected: agent.SelectedContext, extra: readonly string[]): string[] {
  return [
    ...selected.files.map(({ path, content }) => element('attached_file', { path }, content)),
    ...selected.codeSelections.map(({ path, content, range }) =>
      element('selected_code', { path, lines: lineRange(range) }, content),
    ),
    ...selected.folders.map(({ path }) => element('attached_folder', { path }, '')),
    ...selected.terminals.map(({ title, path, content }) => element('terminal', { title, path }, content)),
    ...selected.terminalSelections.map(({ title, path, content }) =>
      element('terminal_selection', { title, path }, content),
    ),
    ...selected.cursorRules.map(({ rule }) =>
      element('attached_rule', { path: rule?.fullPath }, rule?.content ?? ''),
    ),
    ...selected.cursorCommands.map(({ name, content }) => element('command', { name }, content)),
    ...selected.selectedSkills.map(({ fullPath, content, description }) =>
      element('attached_skill', { path: fullPath }, content || description),
    ),
    ...selected.externalLinks.map(({ url, pdfContent }) => element('link', { url }, pdfContent ?? '')),
    ...selected.documentations.map(({ name }) => element('documentation', { name }, '')),
    ...selected.uiElements.map(({ xpath, component, element: html, textContent }) =>
      element('ui_element', { xpath, component }, html || textContent),
    ),
    ...selected.consoleLogs.map(({ level, message }) => element('console_log', { level }, message)),
    ...selected.gitCommits.map(({ sha, message, diff }) =>
      element('commit', { sha }, [message, diff].filter(Boolean).join('\n\n')),
    ),
    ...gitDiffs(selected),
    ...selected.selectedPullRequests.map(({ url, title, description }) =>
      element('pull_request', { url, title }, description ?? ''),
    ),
    ...selected.gitPrDiffSelections.map(({ prUrl, filePath, startLine, endLine, diffContent }) =>
      element(
        'pull_request_diff',
        { url: prUrl, path: filePath, lines: `${startLine}-${endLine}` },
        diffContent ?? '',
      ),
    ),
    ...selected.pastChats.map(({ agentId, name }) => element('past_chat', { id: agentId, name }, '')),
    ...selected.selectedSubagents.map(({ name }) => element('use_subagent', { name }, '')),
    ...invocation(selected.invocationContext),
    ...[...selected.extraContext, ...extra].filter(Boolean),
  ];
}

function gitDiffs({ gitDiff, gitDiffFromBranchToMain }: agent.SelectedContext): string[] {
  const diffs: string[] = [];
  if (gitDiff) diffs.push(element('diff', { of: 'uncommitted changes' }, gitDiff.content));
  if (gitDiffFromBranchToMain) {
    diffs.push(element('diff', { of: 'branch against main' }, gitDiffFromBranchToMain.content));
  }
  return diffs;
}

function invocation(context: agent.InvocationContext | undefined): string[] {
  switch (context?.data.case) {
    case 'ideState':
      return ideState(context.data.value);
    case 'githubPr': {
      const { title, description, comments, ciFailures } = context.data.value;
      const body = [description, comments, ciFailures].filter(Boolean).join('\n\n');
      return [element('pull_request', { title }, body)];
    }
    case 'slackThread':
    case 'microsoftTeamsThread':
      return [element('thread', { channel: context.data.value.channelName }, context.data.value.thread)];
    default:
      return [];
  }
}

function ideState({ visibleFiles, recentlyViewedFiles }: agent.InvocationContext_IdeState): string[] {
  const list = (title: string, files: readonly agent.InvocationContext_IdeState_File[]) =>
    files.length === 0 ? [] : [`${title}:`, ...files.map((file) => `- ${file.path}${cursor(file)}`)];
  const body = [...list('Open', visibleFiles), ...list('Recently viewed', recentlyViewedFiles)];
  return body.length > 0 ? [element('editor', {}, body.join('\n'))] : [];
}

function cursor({ cursorPosition }: agent.InvocationContext_IdeState_File): string {
  return cursorPosition ? ` (cursor at line ${cursorPosition.line})` : '';
}

function lineRange(range: agent.Range | undefined): string | undefined {
  return range?.start && range.end ? `${range.start.line}-${range.end.line}` : undefined;
}

function element(tag: string, attributes: Record<string, string | undefined>, body: string): string {
  const list = Object.entries(attributes)
    .filter(([, value]) => value)
    .map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
    .join('');
  return body.trim() ? `<${tag}${list}>\n${body}\n</${tag}>` : `<${tag}${list}/>`;
}
