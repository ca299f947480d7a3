import { McpServer } from "@modelcontextprotocol/server";
import { fitBudget } from "./fit-budget.ts";
import type { Prompt, Tool, ToolAnswer } from "./tool.ts";

/** A server of tools for one request. */
export interface ToolServer<OneTool extends Tool<never>> {
  readonly name: string;
  readonly version: string;
  /** Instructions about the tools for the assistant; never third-party text. */
  readonly instructions: string;
  readonly tools: readonly OneTool[];
  readonly prompts: readonly Prompt[];
  /** Calls a tool with its context. */
  answer(tool: OneTool, args: unknown): Promise<ToolAnswer>;
  /** Error text for the assistant. */
  messageOf(error: unknown, tool: OneTool): string;
}

interface ToolResult {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  [key: string]: unknown;
}

/** The result of a call. An error becomes a result, so that the assistant can correct its arguments. */
async function call<OneTool extends Tool<never>>(
  server: ToolServer<OneTool>,
  tool: OneTool,
  args: unknown,
): Promise<ToolResult> {
  try {
    const fitted = fitBudget(await server.answer(tool, args), (args as { budget: number }).budget);
    return { content: [{ type: "text", text: JSON.stringify(fitted) }], structuredContent: fitted };
  } catch (error) {
    return { content: [{ type: "text", text: server.messageOf(error, tool) }], isError: true };
  }
}

/** Creates the SDK's server. */
export function mcpServerOf<OneTool extends Tool<never>>(server: ToolServer<OneTool>): McpServer {
  const { instructions, tools, prompts } = server;
  const mcp = new McpServer({ name: server.name, version: server.version }, { instructions });
  for (const tool of tools) {
    const { name, title, description, input, changes = false } = tool;
    const annotations = {
      ...{ readOnlyHint: !changes, destructiveHint: changes },
      ...{ idempotentHint: !changes, openWorldHint: false },
    };
    mcp.registerTool(name, { title, description, inputSchema: input, annotations }, (args) =>
      call(server, tool, args),
    );
  }
  for (const { name, title, description, args: argsSchema, text } of prompts) {
    mcp.registerPrompt(name, { title, description, argsSchema }, (args) => ({
      messages: [
        {
          role: "user" as const,
          content: { type: "text" as const, text: text(args as Record<string, string>) },
        },
      ],
    }));
  }
  return mcp;
}
