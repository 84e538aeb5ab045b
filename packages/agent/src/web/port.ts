/** What the server does for a tool call by itself. Has no effect on anything, so that it may be done twice. */
export type Job =
  | { readonly type: 'web_fetch'; readonly url: string }
  | { readonly type: 'web_search'; readonly query: string };

/** What came of a job. Kept as JSON; a reason is a sentence for the model. */
export type JobResult =
  | { readonly type: 'page'; readonly page: WebPage }
  | { readonly type: 'hits'; readonly hits: readonly SearchHit[] }
  | { readonly type: 'failed'; readonly reason: string };

export interface WebPage {
  /** Where it was found in the end, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Without parameters, in lower case. */
  readonly mediaType: string;
  readonly text: string;
  /** There was more than the server takes. */
  readonly cut: boolean;
}

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
}

/** The web as the server reaches it. */
export interface Web {
  /** Reads a public address; undefined when turns are not to. @throws Error with a message fit for the model */
  readonly fetch: ((url: string, signal: AbortSignal) => Promise<WebPage>) | undefined;
  /** Undefined when no search provider is configured. @throws Error with a message fit for the model */
  readonly search: ((query: string, signal: AbortSignal) => Promise<readonly SearchHit[]>) | undefined;
}
