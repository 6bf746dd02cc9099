// format.ts -- numbers, spans of time and dates as people read them.

function twoUnits(n: number, ratio: number, greater: string, lesser: string): string {
  if (n % ratio === 0) return `${n / ratio} ${greater}`;
  if (n < ratio) return `${n} ${lesser}`;
  return `${Math.floor(n / ratio)} ${greater} ${n % ratio} ${lesser}`;
}

/** A span of seconds in its two greatest units, "1 h 54 min": the same rule as cli_report_span of the command. */
export function span(seconds: number): string {
  const s = Math.abs(seconds);
  const sign = seconds < 0 ? "-" : "";
  if (!(s < 1e12)) return "-";
  if (s < 0.05) return "0 s";
  if (s < 9.95) return `${sign}${trim((Math.floor(s * 10 + 0.5) / 10).toFixed(1))} s`;
  if (s < 299.5) return sign + twoUnits(Math.floor(s + 0.5), 60, "min", "s");
  if (s < 86370) return sign + twoUnits(Math.floor(s / 60 + 0.5), 60, "h", "min");
  if (s < 863000) return sign + twoUnits(Math.floor(s / 3600 + 0.5), 24, "d", "h");
  return `${sign}${Math.floor(s / 86400 + 0.5)} d`;
}

function trim(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

export function count(n: number): string {
  return Math.round(n).toLocaleString("en-US");
}

/** A number as tables have them: the rule of cli_human of the command. */
export function human(x: number): string {
  if (Number.isInteger(x)) return count(x);
  if (Math.abs(x) < 0.001) return String(Number(x.toPrecision(3)));
  const digits = Math.abs(x) >= 1000 ? 1 : Math.abs(x) >= 10 ? 2 : 4;
  return x.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** An amount of bytes, in binary units. */
export function size(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let k = 0;
  for (; Math.abs(bytes) >= 1024 && k + 1 < units.length; k++) bytes /= 1024;
  return `${Number(bytes.toPrecision(3))} ${units[k]}`;
}

export function share(x: number): string {
  return `${(100 * x).toFixed(x > 0 && x < 0.1 ? 1 : 0)} %`;
}

/** Steps of an axis of time, s. */
const steps = [
  1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800,
  1209600, 2592000, 7776000, 15552000, 31536000,
];

/** The calendar of a run: dates in the site's zone where the log says when it began, else days from the start. */
export class Calendar {
  private readonly date: Intl.DateTimeFormat | null = null;
  private readonly offset: number;

  constructor(
    readonly unixStart: number | null,
    zone: string | null,
    zoneOffset: number,
  ) {
    let fixed = zoneOffset;
    if (zone) {
      try {
        this.date = new Intl.DateTimeFormat("en-GB", {
          timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", weekday: "short",
          hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
        });
        fixed = 0;
      } catch {
        this.date = null; // a zone that this browser does not know: the offset stands for it
      }
    }
    this.offset = fixed;
  }

  private parts(t: number): Record<string, string> {
    const at = new Date((this.unixStart! + t + (this.date ? 0 : this.offset)) * 1000);
    if (this.date) return Object.fromEntries(this.date.formatToParts(at).map((p) => [p.type, p.value]));
    const iso = at.toISOString();
    const weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][at.getUTCDay()];
    return { year: iso.slice(0, 4), month: iso.slice(5, 7), day: iso.slice(8, 10), hour: iso.slice(11, 13), minute: iso.slice(14, 16), second: iso.slice(17, 19), weekday };
  }

  /** Seconds from the run's origin as a date, or as a time since it. */
  full(t: number): string {
    if (this.unixStart === null) return `${span(t)} after the start`;
    const p = this.parts(t);
    return `${p.weekday} ${p.year}-${p.month}-${p.day} ${p.hour}:${p.minute}:${p.second}`;
  }

  /** A label of an axis whose ticks are `step` seconds apart. */
  label(t: number, step: number): string {
    if (this.unixStart === null) {
      if (step >= 86400) return `${Math.round(t / 86400)} d`;
      const day = Math.floor(t / 86400);
      const rest = t - day * 86400;
      const clock = `${pad(Math.floor(rest / 3600))}:${pad(Math.floor(rest / 60) % 60)}${step < 60 ? `:${pad(Math.floor(rest) % 60)}` : ""}`;
      return day > 0 ? `${day} d ${clock}` : clock;
    }
    const p = this.parts(t);
    if (step >= 28 * 86400) return `${p.year}-${p.month}`;
    if (step >= 86400) return `${p.month}-${p.day}`;
    const clock = `${p.hour}:${p.minute}${step < 60 ? `:${p.second}` : ""}`;
    return clock === "00:00" ? `${p.month}-${p.day}` : clock;
  }

  /** Where an axis from `from` to `to` has its ticks, at most `most` of them. */
  ticks(from: number, to: number, most: number): { step: number; at: number[] } {
    const step = steps.find((s) => (to - from) / s <= most) ?? steps[steps.length - 1];
    const shift = this.unixStart === null ? 0 : this.midnight(from);
    const at: number[] = [];
    for (let t = Math.ceil((from - shift) / step) * step + shift; t <= to; t += step) at.push(t);
    return { step, at };
  }

  /** A time near `t`, in seconds from the origin, at which a week begins in the zone: Monday, 0:00. */
  private midnight(t: number): number {
    const p = this.parts(t);
    const day = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(p.weekday);
    return t - (((day * 24 + +p.hour) * 60 + +p.minute) * 60 + +p.second) - (t - Math.floor(t));
  }

  /** Weekday from Monday, and hour of the day; null where there are no dates. */
  hourOfWeek(t: number): [number, number] | null {
    if (this.unixStart === null) return null;
    if (!this.date) {
      const s = this.unixStart + this.offset + t;
      return [(((Math.floor(s / 86400) + 3) % 7) + 7) % 7, Math.floor((((s % 86400) + 86400) % 86400) / 3600)];
    }
    const key = Math.floor((this.unixStart + t) / 900);
    let known = this.hours.get(key);
    if (!known) {
      const p = this.parts(t);
      known = [["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(p.weekday), +p.hour];
      this.hours.set(key, known);
    }
    return known;
  }
  private readonly hours = new Map<number, [number, number]>();
}

function pad(n: number): string {
  return String(n).padStart(2, "0");
}
