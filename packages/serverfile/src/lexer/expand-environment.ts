/**
 * Replaces environment variables before the text is split into tokens, so a value may become several tokens.
 * `{$NAME:default}` has a default for an unset variable; `{$}` stays unchanged. Values are not expanded again. With
 * `PORT=8080`, `:{$PORT}` becomes `:8080`, and `{$HOST:localhost}` becomes `localhost`. Placeholders such as
 * `{env.PORT}` stay, because they are replaced for each request.
 */
export function expandEnvironment(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  let begin = text.indexOf("{$");
  if (begin === -1) {
    return text;
  }
  let expanded = "";
  let copied = 0;
  while (begin !== -1) {
    const end = text.indexOf("}", begin + 2);
    if (end === -1) {
      break;
    }
    const name = text.slice(begin + 2, end);
    if (name !== "") {
      const colon = name.indexOf(":");
      const value = environment[colon === -1 ? name : name.slice(0, colon)];
      expanded += text.slice(copied, begin) + (value ?? (colon === -1 ? "" : name.slice(colon + 1)));
      copied = end + 1;
    }
    begin = text.indexOf("{$", end + 1);
  }
  return expanded + text.slice(copied);
}
