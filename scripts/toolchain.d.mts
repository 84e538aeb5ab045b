export const root: string;
export const tools: string;
export const bin: string;
/** The environment for child processes: our tools first on the PATH, nothing of an outer `npm run`. */
export function toolEnv(): NodeJS.ProcessEnv;
