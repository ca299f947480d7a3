import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { blockOf, type Line, line } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { childOf, type Draft, onlyGiven } from "serverfile/values/draft";
import { applyHeaderOperation } from "../headers/header-operation.ts";
import { headerOperations } from "../headers/headers-lines.ts";

/**
 * `push [resource] { [GET|HEAD] resource; headers { … } }`: HTTP/2 push. Resources may be on the line and in the block.
 * `headers` sets fields of the pushed requests.
 * ```
 * push {
 *   /style.css
 *   HEAD /app.js
 *   headers {
 *     X-Pushed yes
 *   }
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "push",
 *   "resources": [{ "target": "/style.css" }, { "method": "HEAD", "target": "/app.js" }],
 *   "headers": { "set": { "X-Pushed": ["yes"] } }
 * }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const resources: Draft[] = [];
  const draft: Draft = {};
  const add = (target: string, method = "") => resources.push(onlyGiven({ method, target }));
  if (cursor.nextArgument()) {
    add(cursor.value);
  }
  while (cursor.nextInBlock(0)) {
    const word = cursor.value;
    if (word === "headers") {
      cursor.noMoreArguments();
      for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
        const [field = "", value = "", replacement, ...more] = [cursor.value, ...cursor.remainingArguments()];
        if (more.length > 0) {
          throw cursor.argumentError();
        }
        const target = { draft: childOf(draft, "headers"), isResponse: false };
        applyHeaderOperation(cursor, target, { field, value, replacement });
      }
    } else if (word === "GET" || word === "HEAD") {
      add(cursor.argument(), word);
    } else {
      add(word);
    }
  }
  return onlyGiven({ handler: "push", resources, ...draft });
});

/** The operations on header fields, one line each. */
function pushHeaders(headers: Members): Line[] {
  return headerOperations(headers).map((words) => line(...words));
}

/** Writes one resource without a method on the first line; everything else goes to the block. */
const toText: HandlerWriter = (handler) => {
  const lines = (handler.children("resources") ?? []).map((resource) => {
    const method = resource.text("method");
    const words = [...(method === undefined ? [] : [method]), resource.text("target") ?? ""];
    resource.done("a resource to push");
    return line(...words);
  });
  const headers = handler.child("headers");
  if (headers !== undefined) {
    lines.push({ words: ["headers"], block: pushHeaders(headers) });
  }
  const [only] = lines;
  const isShort = lines.length === 1 && only?.words.length === 1 && only.block === undefined;
  return isShort
    ? { directive: "push", words: only.words }
    : { directive: "push", words: [], ...blockOf(lines) };
};

export const pushText: ModuleText = { directive, toText };
