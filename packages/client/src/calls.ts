import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { type Connection, send } from './connection.ts';
import { ConnectionError } from './errors/client-error.ts';
import { errorOfHttp } from './errors/server-error.ts';
import { readBody } from './transport/transport.ts';

/** A model as the server lists it. */
export interface ListedModel {
  readonly id: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly aliases?: readonly string[];
}

/**
 * Exchanges an API key for the token that all RPCs want.
 * @throws ServerError, ConnectionError
 */
export async function exchangeKey(
  connection: Connection,
  apiKey: string,
  signal?: AbortSignal,
): Promise<string> {
  const answer = await json(connection, {
    method: 'POST',
    path: '/auth/exchange_user_api_key',
    credential: apiKey,
    body: Buffer.from('{}'),
    signal,
  });
  const { accessToken } = answer as { accessToken?: unknown };
  if (typeof accessToken !== 'string') throw malformed('the key exchange gave no token');
  return accessToken;
}

/**
 * The models that the key's owner may use. Unlike the RPCs, this takes the key itself: a wrong one is refused here.
 * @throws ServerError, ConnectionError
 */
export async function listModels(
  connection: Connection,
  apiKey: string,
  signal?: AbortSignal,
): Promise<ListedModel[]> {
  const answer = await json(connection, { method: 'GET', path: '/v1/models', credential: apiKey, signal });
  const { items } = answer as { items?: unknown };
  if (!Array.isArray(items)) throw malformed('the list of models has no items');
  return items as ListedModel[];
}

/**
 * Calls a unary RPC by the Connect protocol, in binary.
 * @param method for example `aiserver.ServerConfigService.method.getServerConfig`
 * @throws ServerError, ConnectionError
 */
export async function callUnary<I extends DescMessage, O extends DescMessage>(
  connection: Connection,
  token: string,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  signal?: AbortSignal,
): Promise<MessageShape<O>> {
  const response = await send(connection, {
    method: 'POST',
    path: `/${method.parent.typeName}/${method.name}`,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/proto',
      'connect-protocol-version': '1',
    },
    body: toBinary(method.input, create(method.input, request)),
    signal,
  });
  const body = await readBody(response);
  if (response.status !== 200) throw errorOfHttp('call', response.status, body);
  try {
    return fromBinary(method.output, body);
  } catch (cause) {
    throw malformed(`the answer of ${method.name} cannot be decoded`, cause);
  }
}

interface JsonCall {
  method: 'GET' | 'POST';
  path: string;
  credential: string;
  body?: Uint8Array;
  signal?: AbortSignal;
}

async function json(connection: Connection, { credential, ...call }: JsonCall): Promise<object> {
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  const response = await send(connection, { ...call, headers });
  const body = await readBody(response);
  if (response.status !== 200) throw errorOfHttp('call', response.status, body);
  let answer: unknown;
  try {
    answer = JSON.parse(body.toString('utf8'));
  } catch {
    // No cause: a syntax error quotes the body, which may hold a token.
    throw malformed(`the answer of ${call.path} is not JSON`);
  }
  if (typeof answer !== 'object' || answer === null)
    throw malformed(`the answer of ${call.path} is no object`);
  return answer;
}

function malformed(message: string, cause?: unknown): ConnectionError {
  return new ConnectionError('malformed', message, { cause });
}
