// The JSON interface. Answers that come too late are the caller's to drop; errors carry a sentence for people.

async function read(response) {
  if (response.ok) return response;
  let detail = `The server answered ${response.status}.`;
  try {
    detail = (await response.json()).detail ?? detail;
  } catch {
    // no JSON: the status has to do
  }
  throw Object.assign(new Error(detail), { status: response.status });
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server cannot be reached. Is “elsewise serve” still running?");
  }
  return read(response);
}

export const get = async (path) => (await send(path)).json();

const posted = (body, signal) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
  signal,
});

export const post = async (path, body, signal) => (await send(path, posted(body, signal))).json();

/** Ask for a file and let the browser save it. */
export async function download(path, body, name) {
  const blob = await (await send(path, posted(body))).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
