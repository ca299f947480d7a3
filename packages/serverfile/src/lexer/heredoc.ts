import { ServerError } from "server-core/errors";

const markerPattern = /^[A-Za-z0-9_-]+$/;

function fault(message: string, file: string, line: number): ServerError {
  return new ServerError("CONFIG_ADAPTER", `${message}, at ${file}:${line}`, {
    place: { file, line, word: "<<" },
  });
}

/** Checks the marker after `<<`: letters, digits, dashes and underscores. @throws ServerError CONFIG_ADAPTER */
export function checkHeredocMarker(marker: string, file: string, line: number): void {
  if (marker === "") {
    throw fault(
      `missing opening heredoc marker on line #${line}; must contain only alphanumeric characters, dashes and underscores; got empty string`,
      file,
      line,
    );
  }
  if (marker.startsWith("<")) {
    throw fault(`too many '<' for heredoc on line #${line}; only use two, for example <<END`, file, line);
  }
  if (!markerPattern.test(marker)) {
    throw fault(
      `heredoc marker on line #${line} must contain only alphanumeric characters, dashes and underscores; got '${marker}'`,
      file,
      line,
    );
  }
}

/**
 * The error for a text that ends before the closing marker.
 * @param line line of the opening marker, where the mistake probably is
 * @param end last line of the text, which the message contains as in Caddy
 */
export function heredocWithoutEnd(marker: string, file: string, line: number, end: number): ServerError {
  return fault(
    `incomplete heredoc <<${marker} on line #${end}, expected ending marker ${marker}`,
    file,
    line,
  );
}

/**
 * Turns the body of a heredoc into its text. The white space before the closing marker is removed from every line, and
 * the last line break is removed. From
 *
 *     respond <<HTML
 *         <p>
 *           Hello
 *         HTML
 *
 * results in `<p>\n Hello`.
 * @param body the text between the opening marker's line and the closing marker
 * @param line line of the opening marker
 * @throws ServerError CONFIG_ADAPTER naming a line that does not begin with that white space
 */
export function heredocText(body: string, marker: string, file: string, line: number): string {
  const lastBreak = body.lastIndexOf("\n");
  const padding = body.slice(lastBreak + 1);
  const lines = body.slice(0, lastBreak + 1).split("\n");
  lines.pop();
  const stripped = lines.map((text, index) => {
    if (text === "" || text === "\r") {
      return "";
    }
    if (!text.startsWith(padding)) {
      const at = line + index + 1;
      throw fault(
        `mismatched leading whitespace in heredoc <<${marker} on line #${at} [${text.replace(/[\r\n]+$/, "")}], expected whitespace [${padding}] to match the closing marker`,
        file,
        at,
      );
    }
    return text.slice(padding.length).replaceAll("\r", "");
  });
  return stripped.join("\n");
}
