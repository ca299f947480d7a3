#!/usr/bin/env node
import { parseArgs } from "node:util";
import { Assistant } from "../src/assistant.ts";
import { FakeModel } from "../src/fake-model.ts";
import { startTelemetry } from "../src/telemetry.ts";

const help = `An assistant that asks a model and uses a tool. The model is not real, so no key is needed and nothing costs.

Usage: assistant [options]

  --questions <n>  questions to ask (default 10, at most 1000); every fifth one fails
  --help           print this text

Spans go to OTEL_EXPORTER_OTLP_ENDPOINT (default http://localhost:4318).
`;

const { values } = parseArgs({
  options: {
    questions: { type: "string", default: "10" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const count = Number(values.questions);
if (values.help || !(Number.isInteger(count) && count > 0 && count <= 1000)) {
  process.stdout.write(help);
  process.exit(values.help ? 0 : 1);
}

const users = ["ann", "bob", "cleo"];
const telemetry = startTelemetry();
const model = await FakeModel.start();
const assistant = new Assistant(model.url, telemetry.tracer);
for (let index = 0; index < count; index++) {
  const user = users[index % users.length] ?? "ann";
  const text = index % 5 === 4 ? "Please fail." : "How cold is it in Oslo?";
  const answer = assistant.ask({ text, user, conversation: `conversation-${user}` });
  console.log(`${user}: ${text} → ${await answer.catch((error: Error) => error.message)}`);
}
model.close();
await telemetry.shutdown();
