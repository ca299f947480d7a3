import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { Assistant } from "./assistant.ts";
import { FakeModel } from "./fake-model.ts";
import { startTelemetry } from "./telemetry.ts";

test("an answer with a tool and a failure: agent, tool and calls of the model are sent as spans", async () => {
  const bodies: Buffer[] = [];
  const collector = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await Array.fromAsync(request)));
    response.writeHead(200, { "Content-Type": "application/x-protobuf" }).end();
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

  const telemetry = startTelemetry();
  const model = await FakeModel.start();
  const assistant = new Assistant(model.url, telemetry.tracer);
  const question = { text: "How cold is it in Oslo?", user: "ann", conversation: "c1" };
  expect(await assistant.ask(question)).toBe("It is -3 degrees.");
  await expect(assistant.ask({ ...question, text: "Please fail." })).rejects.toThrow("no answer to this");
  model.close();
  await telemetry.shutdown();
  collector.close();

  const sent = Buffer.concat(bodies).toString("latin1");
  const count = (text: string) => sent.split(text).length - 1;
  expect(count("invoke_agent weather-agent")).toBe(2);
  expect(count("execute_tool weather")).toBe(1);
  // The instrumentation ends no span of a call that fails: the agent's span has the error.
  expect(count("OpenAI Chat Completions")).toBe(2);
  expect(sent).toContain("no answer to this");
  expect(sent).toContain("llm.token_count.prompt");
  expect(count("session.id")).toBe(2);
  expect(sent).toContain("How cold is it in Oslo?");
});
