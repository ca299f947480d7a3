import type { JsonTape } from "./json-tape.ts";
import { shownText } from "./shown-text.ts";

const openBrace = 0x7b;

/** One step of a path: a member or an item at one depth. */
interface Step {
  readonly container: number;
  /** Token of the member's name; for an array, token of the item. */
  readonly name: number;
  readonly index: number;
}

/**
 * The steps of the last path in this text, by depth. Texts are read from start to end, so a path usually has most steps
 * of the path before it. Without this cache, a message with a million invalid values would take an hour.
 */
export class LastJsonPath {
  readonly steps: Step[] = [];

  clear(): void {
    this.steps.length = 0;
  }
}

/**
 * The path of a value with the names in the text, such as `resourceSpans[0].scopeSpans[2].spans`; "" for the whole
 * text.
 */
export function jsonPathOf(tape: JsonTape, wanted: number): string {
  let path = "";
  let container = 0;
  for (let depth = 0; container !== wanted; depth++) {
    const isObject = tape.kind(container) === openBrace;
    const { name, index } = stepTo(tape, wanted, container, depth);
    if (isObject) {
      const text = shownText(tape.string(name));
      path += path === "" ? text : `.${text}`;
    } else {
      path += `[${index}]`;
    }
    container = isObject ? name + 1 : name;
  }
  return path;
}

/** Finds the member or item of a container that is the wanted value or contains it. */
function stepTo(tape: JsonTape, wanted: number, container: number, depth: number): Step {
  const { steps } = tape.lastPath;
  const toValue = tape.kind(container) === openBrace ? 1 : 0;
  const last = steps[depth];
  const isOnTheWay = last?.container === container && last.name + toValue <= wanted;
  let name = isOnTheWay ? last.name : container + 1;
  let index = isOnTheWay ? last.index : 0;
  for (let next = tape.after(name + toValue); next <= wanted; next = tape.after(name + toValue)) {
    name = next;
    index++;
  }
  const step = { container, name, index };
  steps[depth] = step;
  return step;
}
