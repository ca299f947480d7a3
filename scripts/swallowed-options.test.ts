import { expect, test } from "vitest";
import { swallowedOptionsText } from "./swallowed-options.mjs";

test.each([
  [{}, undefined],
  [{ npm_config_loglevel: "warn", npm_config_data: "" }, undefined],
  [{ npm_config_demo: "true" }, "npm start -- --demo"],
  [{ npm_config_server_only: "true", npm_config_data: "/srv/a" }, "npm start -- --data /srv/a --server-only"],
])("of the variables %j npm start says %j", (environment, command) => {
  const text = swallowedOptionsText(environment);
  expect(text?.trim().split("\n").at(-1)?.trim()).toBe(command);
});
