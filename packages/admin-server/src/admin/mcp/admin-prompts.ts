import type { Prompt } from "assistant-tools/tool";
import { z } from "zod";

/** Schema of an argument with a length limit. */
const text = z.string().max(8_192);

/** Arguments come from users, so they are quoted as JSON, which they cannot end. */
const quoted = (value: string | undefined) => JSON.stringify(value ?? "");

/** Prompts that assistants offer to their users. Each prompt tells the assistant to ask before it changes anything. */
export const adminPrompts: readonly Prompt[] = [
  {
    name: "explain_url",
    title: "What happens to this address?",
    description: "Follows a request through the config, step by step.",
    args: z.object({ url: text.describe("With scheme and host.") }),
    text: ({ url }) =>
      `Tell what the server does with a request for ${quoted(url)}. Ask explain_request. Name the routes in order, what each changes, and who ` +
      "answers; where a handler may answer before, say on what it depends. If a proxy answers, look at its servers with list_upstreams.",
  },
  {
    name: "why_wrong_answer",
    title: "Why is this answer wrong?",
    description: "Finds the part of the config to which an unexpected answer is due.",
    args: z.object({ url: text, answer: text.describe("What came, and what was expected.") }),
    text: ({ url, answer }) =>
      `A request for ${quoted(url)} got this: ${quoted(answer)}. Find out why. Ask explain_request: is the route that answers the one that was ` +
      "meant, and which matcher refused the other? For 502 to 504 ask list_upstreams. Was it changed lately: list_history, get_history_diff. " +
      "Propose the smallest change, and show what preview_change says of it.",
  },
  {
    name: "review_config",
    title: "Look through the config",
    description: "Looks for mistakes and risks.",
    args: z.object({}),
    text: () =>
      "Look through the config with get_config, part by part. Report routes that never match (an earlier one takes all), sites without HTTPS, " +
      "proxies without health checks or time limits, upstreams that fail (list_upstreams), certificates that end soon (list_certificates), and an " +
      "admin endpoint that others can reach. Give the path of each finding. Change nothing.",
  },
  {
    name: "add_site",
    title: "Add a site",
    description: "Writes a site, and tries it before it is loaded.",
    args: z.object({ wish: text.describe("What the site should do.") }),
    text: ({ wish }) =>
      `Add a site: ${quoted(wish)}. Read get_config and get_schema of the modules that you need. Write the new route, and try it with ` +
      "preview_change until it is valid. Show the change. Only when people agree, and where change_config is among your tools, call it with the " +
      "etag that you read; then explain_request for an address of the site.",
  },
];
