import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { callTool, execAnswer, queryAnswer } from '../testing/call-tool.ts';
import type { JobResult } from '../web/port.ts';
import { fetchTool } from './fetch.ts';
import type { Answer } from './steps.ts';
import { webFetchTool } from './web-fetch.ts';
import { webSearchTool } from './web-search.ts';

const URL_ = 'https://example.com/a';
const ODD = 'The client gave an answer that is not understood.';
const job = (result: JobResult): Answer => ({ type: 'job', result });
const fetchAllowed = queryAnswer({
  case: 'webFetchRequestResponse',
  value: { result: { case: 'approved', value: {} } },
});
const fetchRefused = queryAnswer({
  case: 'webFetchRequestResponse',
  value: { result: { case: 'rejected', value: { reason: 'no' } } },
});
const page = { url: URL_, status: 200, mediaType: 'text/html', text: 'Hello', cut: false };

describe('web_fetch', () => {
  it('asks the user, then has the server read the page', () => {
    const { asked, output, shown } = callTool(webFetchTool, { url: URL_ }, [
      fetchAllowed,
      job({ type: 'page', page }),
    ]);
    expect(asked).toEqual([
      {
        type: 'query',
        query: { case: 'webFetchRequestQuery', value: { args: { url: URL_, toolCallId: 'c1' } } },
      },
      { type: 'job', job: { type: 'web_fetch', url: URL_ } },
    ]);
    expect(output).toEqual({ type: 'text', value: 'Hello' });
    expect(shown).toMatchObject({
      case: 'webFetchToolCall',
      value: { result: { result: { case: 'success', value: { url: URL_, markdown: 'Hello' } } } },
    });
  });

  it.each<[Answer[], string, string, string]>([
    [[fetchRefused], 'rejected', 'error-text', 'The user did not allow it. no'],
    [[queryAnswer({ case: 'webSearchRequestResponse', value: {} })], 'rejected', 'error-text', ODD],
    [
      [fetchAllowed, job({ type: 'failed', reason: 'took too long' })],
      'error',
      'error-text',
      'took too long',
    ],
    [[fetchAllowed, job({ type: 'hits', hits: [] })], 'error', 'error-text', ODD],
    [
      [
        fetchAllowed,
        job({ type: 'page', page: { ...page, url: 'https://b/', status: 404, text: '', cut: true } }),
      ],
      'success',
      'text',
      '[Found at https://b/; Status 404]\nThe page is empty.\n[The page is larger than this server reads.]',
    ],
  ])('%#', (answers, kind, type, value) => {
    const { output, shown } = callTool(webFetchTool, { url: URL_ }, answers);
    expect(output).toEqual({ type, value });
    expect(shown).toMatchObject({ value: { result: { result: { case: kind } } } });
  });

  it('cuts a long page', () => {
    const long = { ...page, text: 'x'.repeat(100_000) };
    const { output } = callTool(webFetchTool, { url: URL_ }, [
      fetchAllowed,
      job({ type: 'page', page: long }),
    ]);
    expect(output?.value).toMatch(/\[Cut: 60000 more characters are not shown\.\]$/);
  });

  it.each(['file:///etc/passwd', 'gopher://x/', 'nothing', 'https://user:pw@example.com/', ''])(
    'does not take %j for an address',
    (url) => {
      expect(() => callTool(webFetchTool, { url }, [])).toThrow('no address');
      expect(() => callTool(fetchTool, { url }, [])).toThrow('no address');
    },
  );

  it('takes no headers', () => {
    expect(() => callTool(webFetchTool, { url: URL_, headers: {} }, [])).toThrow('headers');
  });
});

describe('fetch_from_machine', () => {
  const fetched = (result: MessageInitShape<typeof agent.FetchResultSchema>['result']) =>
    callTool(fetchTool, { url: URL_ }, [
      fetchAllowed,
      execAnswer({ case: 'fetchResult', value: { result } }),
    ]);

  it('asks the user, then has the client fetch', () => {
    const { asked, output, shown } = fetched({
      case: 'success',
      value: { url: URL_, content: '<p>x', statusCode: 200, contentType: 'text/html' },
    });
    expect(asked).toMatchObject([
      { type: 'query', query: { case: 'webFetchRequestQuery' } },
      { type: 'exec', exec: { case: 'fetchArgs', value: { url: URL_, toolCallId: 'c1' } }, repeatable: true },
    ]);
    expect(output).toEqual({ type: 'text', value: '[Status 200; text/html]\n<p>x' });
    expect(shown).toMatchObject({
      case: 'fetchToolCall',
      value: { result: { result: { case: 'success' } } },
    });
  });

  it('tells failures', () => {
    expect(fetched({ case: 'error', value: { error: 'ECONNREFUSED' } }).output).toEqual({
      type: 'error-text',
      value: 'ECONNREFUSED',
    });
    expect(fetched({ case: undefined }).output).toEqual({ type: 'error-text', value: ODD });
    const { asked, output } = callTool(fetchTool, { url: URL_ }, [fetchRefused]);
    expect(asked).toHaveLength(1);
    expect(output).toEqual({ type: 'error-text', value: 'The user did not allow it. no' });
  });
});

describe('web_search', () => {
  const permission = (result: MessageInitShape<typeof agent.WebSearchRequestResponseSchema>['result']) =>
    queryAnswer({ case: 'webSearchRequestResponse', value: { result } });
  const allowed = permission({ case: 'approved', value: {} });
  const hit = { title: 'T', url: 'https://t/', excerpt: 'e' };

  it('asks the user, then has the server search', () => {
    const { asked, output, shown } = callTool(webSearchTool, { query: 'q' }, [
      allowed,
      job({ type: 'hits', hits: [hit, { ...hit, title: '', excerpt: '' }] }),
    ]);
    expect(asked).toMatchObject([
      { query: { case: 'webSearchRequestQuery', value: { args: { searchTerm: 'q', toolCallId: 'c1' } } } },
      { type: 'job', job: { type: 'web_search', query: 'q' } },
    ]);
    expect(output).toEqual({ type: 'text', value: 'T\nhttps://t/\ne\n\nhttps://t/' });
    expect(shown).toMatchObject({
      case: 'webSearchToolCall',
      value: {
        result: { result: { case: 'success', value: { references: [{ title: 'T', chunk: 'e' }, {}] } } },
      },
    });
  });

  it.each<[Answer[], string, string]>([
    [
      [permission({ case: 'rejected', value: { reason: 'no' } })],
      'error-text',
      'The user did not allow it. no',
    ],
    [[permission({ case: undefined })], 'error-text', ODD],
    [[allowed, job({ type: 'failed', reason: 'down' })], 'error-text', 'down'],
    [[allowed, job({ type: 'hits', hits: [] })], 'text', 'Nothing was found.'],
  ])('%#', (answers, type, value) => {
    expect(callTool(webSearchTool, { query: 'q' }, answers).output).toEqual({ type, value });
  });

  it('gives a bounded number of bounded excerpts', () => {
    const hits = Array.from({ length: 30 }, () => ({ ...hit, excerpt: 'x'.repeat(10_000) }));
    const { output } = callTool(webSearchTool, { query: 'q' }, [allowed, job({ type: 'hits', hits })]);
    expect(String(output?.value).length).toBeLessThan(25_000);
  });
});
