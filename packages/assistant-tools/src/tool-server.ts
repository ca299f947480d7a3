import { McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { fitBudget } from "./fit-budget.ts";
import type { Prompt, Resource, Tool, ToolAnswer } from "./tool.ts";

/** A server of tools for one request. */
export interface ToolServer<OneTool extends Tool<never>> {
  readonly name: string;
  readonly version: string;
  /** Instructions about the tools for the assistant; never third-party text. */
  readonly instructions: string;
  readonly tools: readonly OneTool[];
  readonly prompts: readonly Prompt[];
  /** Default: none. */
  readonly resources?: readonly Resource[];
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
  for (const resource of server.resources ?? []) {
    addResource(mcp, server, resource);
  }
  return mcp;
}

/** A resource is a call of its tool with the default budget. */
function addResource<OneTool extends Tool<never>>(
  mcp: McpServer,
  server: ToolServer<OneTool>,
  { name, title, description, uri: address, tool: toolName }: Resource,
): void {
  const tool = server.tools.find((one) => one.name === toolName);
  if (tool === undefined) {
    throw new Error(`the resource ${name} names no tool: ${toolName}`);
  }
  const mimeType = "application/json";
  const read = async (uri: URL, variables: Readonly<Record<string, string | readonly string[]>>) => {
    const parsed = tool.input.safeParse(decoded(variables));
    if (!parsed.success) {
      throw new Error(`${uri.href}: ${parsed.error.issues[0]?.message ?? "is not valid"}`);
    }
    const { content, isError } = await call(server, tool, parsed.data);
    const text = content[0]?.text ?? "";
    if (isError === true) {
      throw new Error(text);
    }
    return { contents: [{ uri: uri.href, mimeType, text }] };
  };
  const facts = { title, description, mimeType };
  if (address.includes("{")) {
    const template = new ResourceTemplate(address, { list: undefined });
    mcp.registerResource(name, template, facts, (uri, variables) => read(uri, variables));
  } else {
    mcp.registerResource(name, address, facts, (uri) => read(uri, {}));
  }
}

/** Variables of an address, percent-decoded. @throws Error for a list, and for an escape that is not UTF-8 */
function decoded(variables: Readonly<Record<string, string | readonly string[]>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      if (typeof value !== "string") {
        throw new Error(`${name}: is a list`);
      }
      return [name, decodeURIComponent(value)];
    }),
  );
}
