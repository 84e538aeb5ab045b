import { TextDecoder } from 'node:util';
import { htmlText } from './html-text.ts';
import { FetchRefused } from './resolve-target.ts';

/** Types whose bytes are text that a model can read. */
const TEXT =
  /^(text\/|application\/(.*\+)?(json|xml|yaml|x-yaml|toml|javascript|ecmascript|typescript|x-sh|sql)$)/;
const HTML = /^(text\/html|application\/xhtml\+xml)$/;

export interface PageText {
  readonly mediaType: string;
  readonly text: string;
}

/**
 * A body as a model can read it.
 * @throws FetchRefused when it is no text
 */
export function pageText(contentType: string, body: Uint8Array, url: URL): PageText {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  const mediaType = type.toLowerCase() || (body.includes(0) ? 'application/octet-stream' : 'text/plain');
  if (!TEXT.test(mediaType) && !HTML.test(mediaType)) {
    throw new FetchRefused(`${url.href} is of the type ${mediaType}, which is not text.`);
  }
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter))?.slice('charset='.length);
  const text = decoderOf(charset?.replace(/["']/g, '')).decode(body);
  if (!HTML.test(mediaType)) return { mediaType, text };
  return { mediaType, text: htmlText(text, url) };
}

function decoderOf(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset || 'utf-8');
  } catch {
    // A charset that nobody knows.
    return new TextDecoder();
  }
}
