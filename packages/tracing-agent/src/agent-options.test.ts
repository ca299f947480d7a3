import { parseOptions } from "lifecycle";
import { expect, test } from "vitest";
import { agentOptions } from "./agent-options.ts";

// A built agent passes its options from the first start to the second as JSON.
test.each([
  ["by default", []],
  [
    "set",
    [
      ...["--reporter.grpc.host-port=a:1,[::1]:2", "--agent.tags=zone=z9,host=h"],
      ...["--reporter.grpc.tls.enabled", "--reporter.grpc.tls.ca=/ca.pem"],
      ...["--processor.tracing-compact.server-host-port=[::]:6831", "--processor.tracing-binary.workers=3"],
    ],
  ],
])("the checked options, %s, are what JSON can hold", (_, args) => {
  const { options } = parseOptions(agentOptions, { arguments: args, environment: {} });
  expect(JSON.parse(JSON.stringify(options))).toEqual(options);
});
