import { applyHeaderOperation } from "../modules/header-operation.ts";
import { childOf, type Draft, onlyGiven } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

/** `push [resource] { [GET|HEAD] resource; headers { … } }`: HTTP/2 push. */
export const push = handlerDirective(({ cursor }) => {
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
        applyHeaderOperation(cursor, target, field, value, replacement);
      }
    } else if (word === "GET" || word === "HEAD") {
      add(cursor.argument(), word);
    } else {
      add(word);
    }
  }
  return onlyGiven({ handler: "push", resources, ...draft });
});
