export * from './append-message.ts';
export * from './assembler.ts';
export * from './assembler.ts';
export * from './journal-sets.ts';
