export type * from './model/message.ts';
export type * from './model/port.ts';
