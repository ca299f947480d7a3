import { setSession, setUser } from "@arizeai/openinference-core";
import { context, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import OpenAI from "openai";

/** One question of a user. */
export interface Question {
  readonly text: string;
  /** Id of the user; `/models?by=user` groups by it. */
  readonly user: string;
  /** Id of the conversation, which all its questions share. */
  readonly conversation: string;
}

type Messages = OpenAI.Chat.Completions.ChatCompletionMessageParam[];

const model = "fake-model";
const tools: OpenAI.Chat.Completions.ChatCompletionTool[] = [
  {
    type: "function",
    function: {
      name: "weather",
      description: "Temperature in a city.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

/** Answers questions with a model, which may use the tool `weather`. Each question is a trace. */
export class Assistant {
  readonly #client: OpenAI;
  readonly #tracer: Tracer;

  /** @param url base URL of a server with OpenAI's API */
  constructor(url: string, tracer: Tracer) {
    this.#client = new OpenAI({ apiKey: "no key is needed", baseURL: url, maxRetries: 0 });
    this.#tracer = tracer;
  }

  /** @throws errors of the model */
  ask(question: Question): Promise<string> {
    // Calls of the model get user and conversation from the context.
    const ofUser = setUser(context.active(), { userId: question.user });
    return context.with(setSession(ofUser, { sessionId: question.conversation }), () =>
      this.#answer(question),
    );
  }

  #answer({ text, user, conversation }: Question): Promise<string> {
    const attributes = {
      "openinference.span.kind": "AGENT",
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "weather-agent",
      "gen_ai.conversation.id": conversation,
      "user.id": user,
    };
    return this.#traced("invoke_agent weather-agent", attributes, async () => {
      const messages: Messages = [
        { role: "system", content: "Answer in one sentence." },
        { role: "user", content: text },
      ];
      const first = await this.#client.chat.completions.create({ model, messages, tools, user });
      const message = first.choices[0]?.message;
      const calls = message?.tool_calls ?? [];
      if (message === undefined || calls.length === 0) {
        return message?.content ?? "";
      }
      messages.push(message);
      for (const call of calls) {
        const content = await this.#runTool(call.id, call.type === "function" ? call.function : undefined);
        messages.push({ role: "tool", tool_call_id: call.id, content });
      }
      return await this.#streamed(messages, user);
    });
  }

  async #streamed(messages: Messages, user: string): Promise<string> {
    let answer = "";
    const stream = await this.#client.chat.completions.create({ model, messages, stream: true, user });
    for await (const chunk of stream) {
      answer += chunk.choices[0]?.delta.content ?? "";
    }
    return answer;
  }

  #runTool(id: string, call: { readonly name: string; readonly arguments: string } | undefined) {
    const name = call?.name ?? "unknown";
    const attributes = {
      "openinference.span.kind": "TOOL",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.call.arguments": call?.arguments ?? "",
    };
    return this.#traced(`execute_tool ${name}`, attributes, async () => "-3");
  }

  #traced<Result>(
    name: string,
    attributes: Readonly<Record<string, string>>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return this.#tracer.startActiveSpan(name, { attributes }, async (span) => {
      try {
        return await work();
      } catch (error) {
        span.recordException(error as Error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
}
