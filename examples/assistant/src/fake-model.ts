import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** The parts of a chat completion request that the model looks at. */
interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content?: string | null }[];
  readonly stream?: boolean;
}

/** Milliseconds before the first part of an answer, and between its words. */
const thinkingMs = 80;
const wordMs = 15;

const toolCall = {
  index: 0,
  id: "call_1",
  type: "function",
  function: { name: "weather", arguments: '{"city":"Oslo"}' },
};

/**
 * A server with the API of OpenAI's chat completions, for examples without a key and without costs. It first asks for the
 * tool `weather`, and then answers with the tool's result. A question with the word "fail" gets status 500.
 */
export class FakeModel {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FakeModel> {
    const server = createServer((request, response) => {
      answer(request, response).catch(() => response.destroy());
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeModel(server);
  }

  /** Base URL for OpenAI's client. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model, messages, stream } = (await json(request)) as ChatRequest;
  await sleep(thinkingMs);
  if (messages.some(({ content }) => content?.includes("fail") === true)) {
    response.writeHead(500, { "Content-Type": "application/json" });
    response.end('{"error": {"message": "the model has no answer to this", "type": "server_error"}}');
    return;
  }
  const last = messages.at(-1);
  const words = last?.role === "tool" ? ["It ", "is ", `${last.content} `, "degrees."] : [];
  const common = { id: "chatcmpl-1", created: 1, model: `${model}-2026-11` };
  if (stream !== true) {
    const message =
      words.length === 0
        ? { role: "assistant", content: null, tool_calls: [toolCall] }
        : { role: "assistant", content: words.join("") };
    const usage = { prompt_tokens: 40, completion_tokens: 8, total_tokens: 48 };
    const choices = [{ index: 0, message, finish_reason: words.length === 0 ? "tool_calls" : "stop" }];
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ ...common, object: "chat.completion", choices, usage }));
    return;
  }
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const send = (delta: object, finish: string | null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    response.write(`data: ${JSON.stringify({ ...common, object: "chat.completion.chunk", choices })}\n\n`);
  };
  for (const content of words) {
    send({ role: "assistant", content }, null);
    await sleep(wordMs);
  }
  send(words.length === 0 ? { tool_calls: [toolCall] } : {}, words.length === 0 ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
}
