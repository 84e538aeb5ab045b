import type { agent } from '@tandem/proto';
import type { ImagePart, TextPart, UserMessage } from '../../model/message.ts';
import { selectedContext } from '../../prompt/selected-context.ts';
import { restored } from '../restore/index.ts';
import type { TurnState } from '../state.ts';
import { textPart } from './transcript.ts';

/** A user's message as the model reads it: news of the context, what the user attached, images, the text. */
export function modelUserMessage(
  state: TurnState,
  message: agent.UserMessage,
  context: readonly TextPart[],
): UserMessage {
  const attached = message.selectedContext;
  const content: (TextPart | ImagePart)[] = [...context];
  if (attached) {
    const extra = attached.extraContextEntries.map(({ dataOrBlobId }) =>
      dataOrBlobId.case === 'blobId'
        ? (blobText(state, dataOrBlobId.value) ?? '')
        : (dataOrBlobId.value ?? ''),
    );
    for (const text of selectedContext(attached, extra)) content.push(textPart(text));
  }
  for (const { content: text } of message.hookAdditionalContexts) content.push(textPart(text));
  if (message.subagentSystemReminder) content.push(textPart(message.subagentSystemReminder));
  for (const image of attached?.selectedImages ?? []) content.push(imagePart(state, image));
  const text = message.text || (message.textBlobId && blobText(state, message.textBlobId)) || '';
  // Providers refuse a message without content.
  if (text || content.length === 0) content.push(textPart(text || '(no text)'));
  return { role: 'user', content };
}

function imagePart(state: TurnState, image: agent.SelectedImage): ImagePart | TextPart {
  const data = imageData(state, image);
  if (!data) return textPart(`[The image ${image.path || image.uuid} could not be read.]`);
  return {
    type: 'image',
    image: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
    mediaType: image.mimeType || 'image/png',
  };
}

function imageData(state: TurnState, { dataOrBlobId }: agent.SelectedImage): Uint8Array | undefined {
  switch (dataOrBlobId.case) {
    case 'data':
      return dataOrBlobId.value;
    case 'blobIdWithData':
      return dataOrBlobId.value.data;
    case 'blobId':
      return restored(state.restore, 'content', dataOrBlobId.value)?.data;
    default:
      return undefined;
  }
}

function blobText(state: TurnState, id: Uint8Array): string | undefined {
  const data = restored(state.restore, 'content', id)?.data;
  return data && new TextDecoder().decode(data);
}
