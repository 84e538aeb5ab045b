/**
 * What Tandem does with a field or a kind of message.
 *
 * - `used`: what the turn does follows from it; `sent`: the server sends it.
 * - `refused`: answered with a reason; `ignored`, `not sent`: without effect, on purpose.
 */
export interface Treatment {
  readonly does: 'used' | 'refused' | 'ignored' | 'sent' | 'not sent';
  readonly how: string;
}

export const used = (how: string): Treatment => ({ does: 'used', how });
export const refused = (how: string): Treatment => ({ does: 'refused', how });
export const ignored = (how: string): Treatment => ({ does: 'ignored', how });
export const sent = (how: string): Treatment => ({ does: 'sent', how });
export const notSent = (how: string): Treatment => ({ does: 'not sent', how });

/** The members of a message's oneof; one that is missing or unknown does not compile. */
export type Kinds<Oneof extends { readonly case: string | undefined }> = Readonly<
  Record<NonNullable<Oneof['case']>, Treatment>
>;

/** The fields of a message outside its oneofs. */
export type Fields<Message, Oneofs extends keyof Message = never> = Readonly<
  Record<Exclude<keyof Message, Oneofs | '$typeName' | '$unknown'>, Treatment>
>;
