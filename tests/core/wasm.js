// wasm.js MODULE RUNS FILE... -- the digests of a list of runs, as the core computes them in WebAssembly; tests/core/digests.c
// says what the arguments are. With `--time RUN` in place of RUNS: that one run file, three times, with what it took. With
// `--full` alone: runs in a module whose memory is used up.
'use strict';
const fs = require('fs');
const { load } = require('../../examples/embed.js');

async function main([, , module, runs, ...files]) {
  const hindcast = await load(fs.readFileSync(module));
  const x = hindcast.make();
  if (runs === '--full') return full(x);
  const timed = runs === '--time' ? files.shift() : null;
  for (const name of files) x.text(name, fs.readFileSync(name));
  if (timed) return time(x, timed);
  for (const line of fs.readFileSync(runs, 'utf8').split('\n').filter((l) => l)) {
    const [name, file, ...assignments] = line.split('\t');
    x.reset();
    x.configure(file);
    for (const a of assignments) x.set(a);
    x.begin();
    while (x.step(1000));
    console.log(`${name} ${x.digest()} ${x.digest(true)}`);
  }
  x.free();
}

function time(x, file) {
  const took = [];
  for (let i = 0; i < 3; i++) {
    x.reset();
    x.configure(file);
    const start = process.cpuUsage();
    x.begin();
    while (x.step(4096));
    took.push((process.cpuUsage(start).user / 1e6).toFixed(2));
  }
  console.log(`${took.join(' s, ')} s of CPU (first run to third), ${(x.memory() / 2 ** 20).toFixed(0)} MiB; schedule ${x.digest(true)}`);
  x.free();
}

// Fill the memory with texts until there is no room for one more; a run of many tasks then ends in an error that
// names what to do, and a small one is still made in the same module. Takes 2 GiB.
function full(x) {
  const run = (tasks) => {
    x.reset();
    x.set(`source={use: lublin, tasks: ${tasks}, procs: 64}`);
    x.begin();
    while (x.step(4096));
    return x.digest(true);
  };
  const fails = (f) => {
    try {
      f();
    } catch (e) {
      if (e.message.includes('out of memory')) return e.message;
      throw e;
    }
    throw new Error('this was to run out of memory');
  };
  const before = run(100);
  x.reset();
  for (let size = 2 ** 27; size > 2 ** 23; size /= 2) {
    const piece = new Uint8Array(size);
    fails(() => { for (let i = 0; ; i++) x.text(`${size}/${i}`, piece); });
  }
  const said = fails(() => run(5000000));
  if (run(100) !== before) throw new Error('a run in a full module has another digest');
  console.log(`full at ${(x.memory() / 2 ** 20).toFixed(0)} MiB: "${said}"; a small run is as before`);
  x.free();
}

main(process.argv).catch((e) => {
  console.error(e.message);
  process.exit(1);
});
