/**
 * The sections of the page of examples, by the id of the handler that each is about: `## rewrite` begins the
 * section of `http.handlers.rewrite`.
 * @param markdown a page with a heading of the second level above each section
 */
export function handlerExamples(markdown: string): Map<string, string> {
  const [, ...sections] = markdown.split(/^## /m);
  return new Map(
    sections.map((section) => {
      const [name = "", ...lines] = section.split("\n");
      return [`http.handlers.${name}`, lines.join("\n").trim()];
    }),
  );
}
