import type { Tool } from "../tool.ts";
import {
  attributeNamesTool,
  attributeValuesTool,
  compareTracesTool,
  dependenciesTool,
  differencesTool,
  exceptionsTool,
  metricsTool,
} from "./analysis-tools.ts";
import { criticalPathTool } from "./critical-path-tool.ts";
import { genAiCallsTool, genAiUsageTool } from "./gen-ai-tools.ts";
import { linksTool } from "./links-tool.ts";
import { servicesTool, spanNamesTool } from "./name-tools.ts";
import { searchTool } from "./search-tool.ts";
import { spanDetailsTool, traceErrorsTool } from "./span-tools.ts";
import { topologyTool } from "./topology-tool.ts";

/** All tools, in the order in which an assistant reads them: from wide to narrow. */
export const tools: readonly Tool[] = [
  servicesTool,
  spanNamesTool,
  metricsTool,
  dependenciesTool,
  exceptionsTool,
  genAiUsageTool,
  attributeNamesTool,
  attributeValuesTool,
  searchTool,
  topologyTool,
  criticalPathTool,
  traceErrorsTool,
  genAiCallsTool,
  spanDetailsTool,
  linksTool,
  differencesTool,
  compareTracesTool,
];
