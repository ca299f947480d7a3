/**
 * Formats JSON over several lines, indented by `indent` per level. It works on chunks of text without parsing, so that
 * 64-bit numbers keep all digits.
 *
 * ```
 * {"a":[1,2],"b":{}}   →   {
 *                              "a": [
 *                                  1,
 *                                  2
 *                              ],
 *                              "b": {}
 *                          }
 * ```
 *
 * @param pieces one JSON value without white space, split anywhere
 */
export function* indentJson(pieces: Iterable<string>, indent: string): Generator<string> {
  const indented = indenter(indent);
  for (const piece of pieces) {
    yield indented(piece);
  }
}

/**
 * Like {@link indentJson}, for chunks that arrive over time. Chunks are never split within a character.
 */
export async function* indentSlowJson(
  pieces: AsyncIterable<string | Uint8Array>,
  indent: string,
): AsyncGenerator<string> {
  const indented = indenter(indent);
  for await (const piece of pieces) {
    yield indented(typeof piece === "string" ? piece : Buffer.from(piece).toString());
  }
}

/** Creates a function that indents chunk by chunk, and remembers its position in the JSON. */
function indenter(indent: string): (piece: string) => string {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  /** Set after `{` or `[`: a line break follows only when the value is not empty. */
  let isOpen = false;
  return (piece) => {
    let text = "";
    for (const character of piece) {
      if (inString) {
        text += character;
        if (isEscaped) {
          isEscaped = false;
        } else if (character === "\\") {
          isEscaped = true;
        } else if (character === '"') {
          inString = false;
        }
        continue;
      }
      const isClosing = character === "}" || character === "]";
      if (isClosing) {
        depth--;
      }
      if (isOpen !== isClosing) {
        text += `\n${indent.repeat(depth)}`;
      }
      isOpen = false;
      text += character;
      switch (character) {
        case '"':
          inString = true;
          break;
        case "{":
        case "[":
          depth++;
          isOpen = true;
          break;
        case ",":
          text += `\n${indent.repeat(depth)}`;
          break;
        case ":":
          text += " ";
          break;
      }
    }
    return text;
  };
}
