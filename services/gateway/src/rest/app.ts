import { TandemError } from '@tandem/errors';
import type { KeyOwner, ModelListing } from '@tandem/platform';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

export interface RestDeps {
  /** @throws TandemError bad_key */
  identifyKey(authorization: string | undefined): KeyOwner;
  exchange(authorization: string | undefined): Promise<string>;
  /** The models that a user may choose from. */
  listing(owner: KeyOwner): readonly ModelListing[];
}

/** The REST calls of clients. They carry the raw API key, and a wrong one is what users are told of first (docs/protocol.md, 2). */
export function restApp(deps: RestDeps): Hono {
  const app = new Hono();
  const keyed = (context: Context) => deps.identifyKey(context.req.header('authorization'));

  app.post('/auth/exchange_user_api_key', async (context) => {
    return context.json({ accessToken: await deps.exchange(context.req.header('authorization')) });
  });
  app.get('/v1/models', (context) => {
    return context.json({ items: deps.listing(keyed(context)).map(modelItem) });
  });
  app.get('/v1/me', (context) => {
    const { ownerId, keyId, name } = keyed(context);
    return context.json({ apiKeyName: keyId, userId: ownerId, userName: name ?? ownerId });
  });
  app.get('/v1/repositories', (context) => {
    keyed(context);
    return context.json({ items: [] });
  });

  app.notFound((context) =>
    context.json({ error: { code: 'not_found', message: 'There is no such resource.' } }, 404),
  );
  app.onError((thrown, context) => {
    const { code, publicMessage, reason } = TandemError.from(thrown);
    return context.json({ error: { code, message: publicMessage } }, statusOf(reason));
  });
  return app;
}

function statusOf(reason: TandemError['reason']): ContentfulStatusCode {
  return reason === 'bad_key' || reason === 'token_expired' ? 401 : 500;
}

/** A model as `GET /v1/models` lists it. */
function modelItem({ id, displayName, description, aliases, parameters }: ModelListing) {
  return { id, displayName, description, aliases, parameters };
}
