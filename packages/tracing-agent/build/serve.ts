// The second stage of the built agent, which receives checked options.
import { exitNow } from "lifecycle/exit-now";
import { serveProcess } from "lifecycle/serve";
import { startAgent } from "../src/start-agent.ts";

type Options = Parameters<typeof startAgent>[0]["options"] & Parameters<typeof serveProcess>[1];

export async function serve(options: object): Promise<never> {
  exitNow(await serveProcess({ name: "tracing-agent", start: startAgent }, options as Options));
}
