import type { Clock } from '@tandem/errors';
import type { agent } from '@tandem/proto';
import type { ClientMessage } from '../stream/appender.ts';
import type { ExecAnswer, ExecHandler, ExecHandlers } from './exec-handler.ts';

/** What {@link answerExec} needs beside the request. */
export interface ExecEnvironment {
  readonly handlers: ExecHandlers;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Sends a message to the server, in the order of the calls. */
  send(message: ClientMessage): void;
}

/**
 * Executes one request and sends its answer, then closes the execution, as official clients do. A kind without a handler, and
 * a handler that fails, are answered with a throw.
 */
export async function answerExec(
  request: agent.ExecServerMessage,
  environment: ExecEnvironment,
): Promise<void> {
  const { id, message } = request;
  const { handlers, clock, signal, send } = environment;
  const startedAt = clock.now();
  const sendAnswer = (answer: ExecAnswer) =>
    send({
      message: {
        case: 'execClientMessage',
        value: { id, message: answer, localExecutionTimeMs: clock.now() - startedAt },
      },
    });
  const handler = message.case && (handlers[message.case] as ExecHandler | undefined);
  try {
    if (!handler || !message.case)
      throw new Error(`No handler found for ${message.case ?? 'an unknown execution'}`);
    const heartbeat = () => send(control({ case: 'heartbeat', value: { id } }));
    const answer = await handler(message.value, { id, signal, send: sendAnswer, heartbeat });
    if (answer) sendAnswer(answer);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    send(control({ case: 'throw', value: { id, error: text } }));
  }
  send(control({ case: 'streamClose', value: { id } }));
}

type Control = Extract<ClientMessage['message'], { case: 'execClientControlMessage' }>['value']['message'];

function control(message: Control): ClientMessage {
  return { message: { case: 'execClientControlMessage', value: { message } } };
}
