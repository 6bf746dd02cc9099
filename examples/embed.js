/* embed.js -- the core as a WebAssembly module, for a page or for Node: the functions of hindcast/embed.h with texts
 * in place of pointers.
 *
 *   const hindcast = await load(bytes);            // of build/wasm/hindcast.wasm
 *   const x = hindcast.make();
 *   x.text('log.swf', log);                        // a string or a Uint8Array, unpacked
 *   x.text('run.yaml', 'source: log.swf\npolicy: easy\n');
 *   x.configure('run.yaml');
 *   x.begin();
 *   while (x.step(4096)) show(x.progress());       // in a worker, so that the page stays alive
 *   x.figure('wait_mean'); x.digest(); x.export('gantt');
 *   x.free();
 *
 * What fails throws an Error with the library's text. In a page, a packed log is unpacked by
 * new DecompressionStream('gzip'). Needs no other file: the module asks its host for nothing that a run calls. */
'use strict';

async function load(bytes) {
  const module = await WebAssembly.compile(bytes);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = host(name);
  }
  let c = null;

  // What a standalone module may call of its host: where its environment is, and that its memory has grown.
  function host(name) {
    if (name === 'environ_sizes_get') {
      return (count, size) => {
        const memory = new DataView(c.memory.buffer);
        memory.setUint32(count, 0, true);
        memory.setUint32(size, 0, true);
        return 0;
      };
    }
    if (name === 'environ_get') return () => 0;
    if (name === 'emscripten_notify_memory_growth') return () => {};
    return () => { throw new Error(`the module calls ${name}, which a run does not need`); };
  }

  c = (await WebAssembly.instantiate(module, imports)).exports;
  if (c._initialize) c._initialize();
  const encoder = new TextEncoder(), decoder = new TextDecoder();

  // Call with bytes, each with a NUL behind it, which lie in the module's memory as long as the call lasts.
  function withBytes(all, call) {
    const places = [];
    try {
      for (const bytes of all) {
        const at = bytes === null ? 0 : c.malloc(bytes.length + 1);
        if (bytes !== null && at === 0) throw new Error('out of memory');
        places.push(at);
        if (bytes === null) continue;
        const memory = new Uint8Array(c.memory.buffer);
        memory.set(bytes, at);
        memory[at + bytes.length] = 0;
      }
      return call(...places);
    } finally {
      for (const at of places) if (at !== 0) c.free(at);
    }
  }

  function textAt(at) {
    const memory = new Uint8Array(c.memory.buffer);
    return decoder.decode(memory.subarray(at, memory.indexOf(0, at)));
  }

  function make() {
    const x = c.hc_embed_new(0);
    if (x === 0) throw new Error('out of memory');
    const error = () => new Error(textAt(c.hc_embed_error(x)));
    const check = (rc) => {
      if (rc < 0) throw error();
      return rc;
    };
    const checkText = (at) => {
      if (at === 0) throw error();
      return textAt(at);
    };
    const call = (texts, f) => withBytes(texts.map((t) => (t === null ? null : encoder.encode(t))), f);
    return {
      text(name, content) {
        const bytes = typeof content === 'string' ? encoder.encode(content) : content;
        check(withBytes([encoder.encode(name), bytes], (n, at) => c.hc_embed_text(x, n, at, bytes.length)));
      },
      configure: (name) => void check(call([name], (n) => c.hc_embed_configure(x, n))),
      set: (assignment) => void check(call([assignment], (a) => c.hc_embed_set(x, a))),
      reset: () => void check(c.hc_embed_reset(x)),
      begin: () => void check(c.hc_embed_begin(x)),
      step: (instants) => check(c.hc_embed_step(x, instants)) === 1,
      progress: () => c.hc_embed_progress(x),
      figure: (name, scope = 'all') => call([scope, name], (s, n) => c.hc_embed_figure(x, s, n)),
      digest: (scheduleOnly = false) => checkText(c.hc_embed_digest(x, scheduleOnly)),
      export: (format, setting = null) =>
        checkText(call([format, setting], (f, s) => c.hc_embed_export(x, f, s))),
      why: (serial) => JSON.parse(checkText(c.hc_embed_why(x, serial))),
      keys: () => JSON.parse(checkText(c.hc_embed_keys(x))),
      describe: (word, asJson = false) => checkText(call([word], (w) => c.hc_embed_describe(x, w, asJson))),
      free: () => c.hc_embed_free(x),
      memory: () => c.memory.buffer.byteLength,
    };
  }
  return { make };
}

if (typeof exports !== 'undefined') exports.load = load;
