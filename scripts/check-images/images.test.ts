import { describe, expect, test } from 'vitest';
import { assignments, readStages } from './dockerfile.ts';
import { dockerfileFaults } from './lint.ts';

const GOOD = `FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
RUN --mount=type=cache,target=/store \\
    pnpm install --prod
FROM node:24.21.0-bookworm-slim AS service
LABEL org.opencontainers.image.title="A service" org.opencontainers.image.description="x" \\
      org.opencontainers.image.licenses=MIT org.opencontainers.image.base.name=x \\
      org.opencontainers.image.version=1 org.opencontainers.image.revision=1 org.opencontainers.image.created=1
WORKDIR /app
COPY --from=build /app ./
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s CMD ["node", "health.mjs"]
CMD ["node", "main.ts"]
`;

test('stages are read with options, JSON forms and joined lines', () => {
  const [build, service] = readStages(GOOD);
  expect(build).toMatchObject({ name: 'build', base: 'node:24.21.0-bookworm-slim' });
  expect(build?.steps.at(-1)).toMatchObject({
    keyword: 'RUN',
    flags: { mount: 'type=cache,target=/store' },
    text: 'pnpm install --prod',
  });
  expect(service?.steps.at(-1)?.json).toEqual(['node', 'main.ts']);
  expect(assignments('A=1 b.c="two words"')).toEqual({ A: '1', 'b.c': 'two words' });
});

describe('the linter', () => {
  test('finds nothing wrong with a good file, and misses a target', () => {
    expect(dockerfileFaults(GOOD, ['service'])).toEqual([]);
    expect(dockerfileFaults(GOOD, ['other'])).toEqual(['other: is missing']);
  });

  test.each([
    ['USER 1000:1000', 'USER root', /USER/],
    ['CMD ["node", "main.ts"]', 'CMD node main.ts', /shell/],
    ['HEALTHCHECK --interval=10s CMD ["node", "health.mjs"]\n', '', /health check/],
    ['EXPOSE 8080\n', '', /EXPOSE/],
    ['image.revision=1', 'image.other=1', /revision/],
    [' AS build', ':latest AS build', /./],
    ['WORKDIR /app\nCOPY', 'ENV API_KEY=abc\nCOPY', /secret/],
    ['USER', 'RUN npm install\nUSER', /shipped/],
    ['WORKDIR /app\nRUN', 'ADD http://x.example/y /\nRUN', /ADD/],
  ])('refuses %j as %j', (good, bad, fault) => {
    expect(dockerfileFaults(GOOD.replace(good, bad), ['service']).join('\n')).toMatch(fault);
  });
});
