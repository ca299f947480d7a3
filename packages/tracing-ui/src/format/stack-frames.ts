/** A line of a stack trace. */
export interface StackLine {
  /** The line as it was written. */
  text: string;
  /** `message`: the error or its cause; `own`: a call in the program; `library`: a call in a library or the runtime. */
  kind: "message" | "own" | "library";
}

/** Matches lines that are calls in Java, .NET, JavaScript, Python, Go, Ruby and PHP. */
const frame =
  /^\s*(at\s+\S|File ".+", line \d+|\.\.\. \d+ (more|common frames)|#\d+\s|from \S+:\d+|\S+\.(go|rb|py|js|ts):\d+|\S+@\S+:\d+)/;
/** Matches calls in a library or the runtime. */
const library =
  /node_modules[/\\]|node:|\bat (java|javax|jakarta|jdk|sun|kotlin|scala|groovy)\.|\bat (org\.(springframework|apache|hibernate|eclipse|jboss)|io\.(netty|grpc|quarkus|opentelemetry)|com\.(sun|zaxxer|fasterxml))\.|\bat (System|Microsoft)\.|site-packages|dist-packages|[/\\]lib[/\\]python[\d.]+|<frozen |\/usr\/(local\/)?go\/src\/|\/go\/pkg\/mod\/|[/\\]gems[/\\]|[/\\]vendor[/\\]|\.\.\. \d+ (more|common frames)/;

/**
 * Parses a stack trace. Example: `Error: x`, `at f (app.js:1:2)`, `at g (node:net:3:4)` gives a message, an
 * own call and a call in a library.
 * @returns undefined for a text with fewer than two calls
 */
export function stackLines(text: string): readonly StackLine[] | undefined {
  const texts = text.trimEnd().split(/\r?\n/);
  if (texts.filter((line) => frame.test(line)).length < 2) {
    return undefined;
  }
  let last: StackLine["kind"] = "message";
  return texts.map((line) => {
    if (frame.test(line)) {
      last = library.test(line) ? "library" : "own";
    }
    // Python prints the line of code below a call, Go the file and line. These lines get the kind of the call.
    else if (!/^\s/.test(line) || last === "message") {
      last = "message";
    }
    return { text: line, kind: last };
  });
}
