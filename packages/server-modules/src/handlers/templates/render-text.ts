import { basicFunctions } from "./basic-functions.ts";
import { TemplateRun } from "./evaluate-template.ts";
import { parseTemplate } from "./template-parser.ts";

/** Renders a template with access to values only: no request, no files. @throws TemplateError */
export function renderText(template: string, values: object): Promise<string> {
  return new TemplateRun(basicFunctions).run(parseTemplate(template), values);
}
