/**
 * Spreads JSON over lines, with `indent` for each level. It works on pieces of text and parses nothing, so that
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
 * @param pieces one JSON value without white space, cut anywhere
 */
export function* indentJson(pieces: Iterable<string>, indent: string): Generator<string> {
  const indented = indenter(indent);
  for (const piece of pieces) {
    yield indented(piece);
  }
}

/**
 * Like {@link indentJson}, for pieces that arrive over time. Pieces are never cut within a character.
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

/** Makes a function that indents piece by piece, and remembers where in the JSON it is. */
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
