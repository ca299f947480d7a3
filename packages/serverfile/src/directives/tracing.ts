import { type Draft, setMember } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

/** `tracing { span name; span_attributes { key value } }`: a span for each request. */
export const tracing = handlerDirective(({ cursor }) => {
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
