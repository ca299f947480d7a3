import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { blockOf, line } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { type Draft, setMember } from "serverfile/values/draft";

/**
 * `tracing { span name; span_attributes { key value } }`: creates a span for each request. The span name may contain
 * placeholders. Without the line `span` the name is empty, and the handler uses its default.
 * ```
 * tracing {
 *   span shop
 *   span_attributes {
 *     tenant {http.vars.tenant}
 *   }
 * }
 * ```
 * becomes
 * ```json
 * { "handler": "tracing", "span": "shop", "span_attributes": { "tenant": "{http.vars.tenant}" } }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = { handler: "tracing", span: "" };
  while (cursor.nextInBlock(0)) {
    if (cursor.value === "span_attributes") {
      const attributes: Draft = {};
      while (cursor.nextInBlock(1)) {
        const key = cursor.value;
        setMember(attributes, key, cursor.argument());
        cursor.noMoreArguments();
      }
      if (Object.keys(attributes).length > 0) {
        draft.span_attributes = attributes;
      }
    } else if (cursor.value === "span") {
      draft.span = cursor.argument();
      cursor.noMoreArguments();
    } else {
      throw cursor.argumentError();
    }
  }
  return draft;
});

/** A config without `span` has no text form, because the directive always sets the member. */
const toText: HandlerWriter = (handler) => {
  const span = handler.text("span");
  if (span === undefined) {
    throw inexpressible(handler.pathOf("span"), "the directive tracing always names its span");
  }
  const lines = span === "" ? [] : [line("span", span)];
  const attributes = handler.child("span_attributes");
  if (attributes !== undefined) {
    const keys = attributes.keys.map((key) => line(key, attributes.text(key) ?? ""));
    lines.push({ words: ["span_attributes"], block: keys });
  }
  return { directive: "tracing", words: [], ...blockOf(lines) };
};

export const tracingText: ModuleText = { directive, toText };
