// The MCP Inspector's command line: one JSON task as the argument, one JSON line as the answer.
import { spawnSync } from "node:child_process";

const task = JSON.parse(process.argv[2]);

function inspect(...words) {
  const program = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
  const server = ["--server-url", task.url, "--transport", "http", "--header", `Authorization: Bearer ${task.token}`];
  const how = ["--cli", ...server, "--protocol-era", "auto", "--format", "json", "--quiet"];
  const done = spawnSync(process.execPath, [program, ...how, ...words], { encoding: "utf8" });
  if (!done.stdout) throw new Error(done.stderr);
  return { result: JSON.parse(done.stdout).result, status: done.status };
}

function call(args) {
  return inspect("--method", "tools/call", "--tool-name", task.tool, "--tool-args-json", JSON.stringify(args));
}

// Strict: exit status 6 where a schema has what some model provider or client refuses.
const listed = inspect("--method", "tools/list", "--strict");
if (listed.status !== 0) throw new Error(`tools/list --strict ended with ${listed.status}`);
const found = call(task.arguments);
const failed = call(task.mistake);
console.log(
  JSON.stringify({
    tools: listed.result.tools.map((tool) => tool.name),
    found: found.result.structuredContent,
    failed: failed.result.isError === true && failed.status === 5,
    failure: failed.result.content[0].text,
  }),
);
