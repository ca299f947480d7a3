/**
 * Spreads JSON over lines, with `indent` per level. Works piece by piece on the text: nothing is parsed, so that
 * numbers of 64 bits stay as they are.
 * @param pieces together one JSON value without white space; may be cut anywhere
 */
export function* indentJson(pieces: Iterable<string>, indent: string): Generator<string> {
  const indented = indenter(indent);
  for (const piece of pieces) yield indented(piece);
}

/** As `indentJson`, for pieces that take their time; those of bytes are not cut within a character. */
export async function* indentSlowJson(
  pieces: AsyncIterable<string | Uint8Array>,
  indent: string,
): AsyncGenerator<string> {
  const indented = indenter(indent);
  for await (const piece of pieces) {
    yield indented(typeof piece === "string" ? piece : Buffer.from(piece).toString());
  }
}

function indenter(indent: string): (piece: string) => string {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  /** After `{` or `[`: the line breaks only if something follows. */
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
