import { Hono } from 'hono';

export interface AdminDeps {
  /** Whether new work may be sent here, and what was looked at. */
  readiness(): Promise<{ readonly ready: boolean; readonly checks: unknown }>;
  metricsText(): Promise<string>;
  readonly metricsContentType: string;
}

/** What those who operate a service ask it: `/healthz`, `/readyz`, `/metrics`. */
export function adminApp(deps: AdminDeps): Hono {
  const app = new Hono();
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', async (context) => {
    const { ready, checks } = await deps.readiness();
    return context.json({ status: ready ? 'ready' : 'not ready', checks }, ready ? 200 : 503);
  });
  app.get('/metrics', async (context) => {
    return context.body(await deps.metricsText(), 200, { 'content-type': deps.metricsContentType });
  });
  return app;
}
