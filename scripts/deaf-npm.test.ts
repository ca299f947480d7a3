import { expect, test } from "vitest";
import { deafNpmText } from "./deaf-npm.mjs";

test.each([
  ["npm/9.9.4 node/v20.20.2 linux x64 workspaces/false", true],
  ["npm/10.2.4 node/v20.11.0 linux x64 workspaces/false", true],
  ["npm/10.3.0 node/v20.12.0 linux x64 workspaces/false", false],
  ["npm/11.19.1 node/v26.0.0 linux x64 workspaces/false", false],
  ["pnpm/12.21.0 npm/? node/v26.0.0 linux x64", false],
  [undefined, false],
])("%s is told about: %s", (agent, isTold) => {
  const environment = { npm_lifecycle_event: "start", npm_config_user_agent: agent };
  expect(deafNpmText(environment, 7)).toMatch(isTold ? /send it to process 7/ : /^$/);
  expect(deafNpmText({ npm_config_user_agent: agent }, 7)).toBe("");
});
