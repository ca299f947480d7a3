import { StringDecoder } from "node:string_decoder";
import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";

/** Maximum number of characters of a password. A longer password is refused. */
const maxCharacters = 4096;
const [interrupt, endOfInput, backspace, deleteKey, eraseLine] = [
  "\u0003",
  "\u0004",
  "\b",
  "\u007f",
  "\u0015",
];

/** The error for a password above the limit. */
function tooLong(): StartError {
  return new StartError(`the password is over the limit of ${maxCharacters} characters`);
}

/**
 * Reads one line of the terminal without showing it. The terminal is in raw mode, so this code must handle the keys:
 *
 * | key | effect |
 * |---|---|
 * | Return, Control-D | the password is complete |
 * | Control-C | the process ends with 1 |
 * | Backspace, Delete | removes the last character |
 * | Control-U | removes the whole line |
 *
 * Any other key adds characters to the password; an arrow key adds several.
 * @throws StartError for a line above the limit
 */
async function readHidden(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(prompt);
  stdin.setRawMode(true);
  stdin.resume();
  const decoder = new StringDecoder("utf8");
  let line: string[] = [];
  const done = Promise.withResolvers<string>();
  const take = (chunk: Buffer): void => {
    for (const character of decoder.write(chunk)) {
      if (character === interrupt) {
        stdin.setRawMode(false);
        stderr.write("\n");
        process.exit(exitCodes.startFailed);
      } else if (character === "\r" || character === "\n" || character === endOfInput) {
        done.resolve(line.join(""));
        return;
      } else if (character === backspace || character === deleteKey) {
        line.pop();
      } else if (character === eraseLine) {
        line = [];
      } else if (line.length >= maxCharacters) {
        done.reject(tooLong());
      } else {
        line.push(character);
      }
    }
  };
  stdin.on("data", take);
  stdin.once("end", () => done.resolve(line.join("")));
  try {
    return await done.promise;
  } finally {
    stdin.off("data", take);
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

/** The first line of standard input, without its line break. @throws StartError */
async function readFirstLine(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8") as AsyncIterable<string>) {
    text += chunk;
    if (text.includes("\n")) {
      break;
    }
    if (text.length > maxCharacters + 2) {
      throw tooLong();
    }
  }
  const end = text.indexOf("\n");
  const line = end === -1 ? text : text.slice(0, end).replace(/\r$/, "");
  if (line.length > maxCharacters) {
    throw tooLong();
  }
  return line;
}

/** Asks for a password twice on a terminal; otherwise reads the first line of standard input. @throws StartError */
export async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) {
    return readFirstLine();
  }
  const password = await readHidden("Enter password: ");
  if ((await readHidden("Confirm password: ")) !== password) {
    throw new StartError("the passwords are not the same");
  }
  return password;
}
