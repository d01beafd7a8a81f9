"""Train the tiny reading model. One GPU; see ../README.md for the recipe."""
import argparse, json, math, os, sys, time, random, torch, torch.nn.functional as F
from world import World, PLAN, TASKS, V, tid
from net import Cfg, init_params, Net, MATS, rms, pick_backend
ap = argparse.ArgumentParser()
A = ap.add_argument
A("--out", default="."); A("--load", default=""); A("--seconds", type=float, default=60); A("--warmup", type=int, default=100); A("--decay", type=float, default=0.0)
A("--tokens", type=int, default=131072); A("--stages", default="256,512,1024,2048,4096,8192"); A("--start", type=int, default=0); A("--caps", default="")
A("--thr", type=float, default=.97); A("--minsteps", type=int, default=100); A("--lr", type=float, default=.01); A("--alr", type=float, default=3e-3); A("--wd", type=float, default=.02)
A("--aux", type=float, default=1.0); A("--lm", type=float, default=.1); A("--nlm", type=int, default=8192); A("--loc", type=float, default=0.0); A("--locrows", type=int, default=8); A("--locwin", type=int, default=128)
A("--locfrom", type=int, default=4096); A("--att", type=float, default=.3); A("--attend", type=float, default=0); A("--opt", default="muon"); A("--dev", default="cuda"); A("--seed", type=int, default=0); A("--log", type=int, default=25)
A("--L", type=int, default=8); A("--C", type=int, default=256); A("--H", type=int, default=8); A("--KV", type=int, default=4); A("--D", type=int, default=64); A("--FF", type=int, default=512); A("--theta", type=float, default=1e6)
A("--nocompile", action="store_true"); A("--maxsteps", type=int, default=10**9); A("--bench", action="store_true"); A("--mix", type=float, default=.3); A("--T", type=int, default=0)
a = ap.parse_args()
t00 = time.time(); dev = a.dev; gpu = dev == "cuda"; torch.manual_seed(a.seed); random.seed(a.seed)
dt = torch.bfloat16 if gpu else torch.float32
if gpu: torch.backends.cuda.matmul.allow_tf32 = True
c = Cfg(L=a.L, C=a.C, H=a.H, KV=a.KV, D=a.D, FF=a.FF, V=V, theta=a.theta); P = init_params(c, dev, a.seed); w = World(dev)
def load(p):
    sd = {}
    for f in sorted(os.listdir(p)):
        if f.startswith("ck_"): sd.update(torch.load(f"{p}/{f}", map_location=dev))
    with torch.no_grad():
        for k in P: P[k].copy_(sd[k])
def save(p):
    os.makedirs(p, exist_ok=True); groups = [["wq", "wk", "wv"], ["wo", "emb", "aux", "n1", "n2", "nf"], ["wg", "wu"], ["wd"]]
    for i, g in enumerate(groups): torch.save({k: P[k].detach().cpu().clone() for k in g}, f"{p}/ck_{i}.pt")
if a.load: load(a.load)
print("params", sum(P[k].numel() for k in P if k != "aux"), "vocab", V, flush=True)

class Opt:  # Muon on the stacked matrices (batched Newton-Schulz), AdamW on the rest
    def __init__(s):
        s.t = 0; s.m = {k: torch.zeros_like(P[k]) for k in P}; s.v = {k: torch.zeros_like(P[k]) for k in P if a.opt != "muon" or k not in MATS}
    @torch.no_grad()
    def step(s, f):
        s.t += 1; mom = min(.85 + .1 * s.t / 300, .95)
        for k in P:
            g = P[k].grad
            if g is None: continue
            if k in s.v:
                b1, b2 = .9, .98; s.m[k].lerp_(g, 1 - b1); s.v[k].lerp_(g * g, 1 - b2)
                u = (s.m[k] / (1 - b1 ** s.t)) / ((s.v[k] / (1 - b2 ** s.t)).sqrt() + 1e-8); P[k].add_(u, alpha=-a.alr * f)
                if k in MATS: P[k].mul_(1 - a.alr * f * a.wd)
            else:
                s.m[k].mul_(mom).add_(g); u = g + mom * s.m[k]
                X = u.to(dt); tr = X.shape[1] > X.shape[2]
                if tr: X = X.transpose(1, 2)
                X = X / (X.float().norm(dim=(1, 2), keepdim=True) + 1e-7).to(dt)
                for _ in range(5):
                    M = X @ X.transpose(1, 2); X = 3.4445 * X + (-4.7750 * M + 2.0315 * M @ M) @ X
                if tr: X = X.transpose(1, 2)
                P[k].mul_(1 - a.lr * f * a.wd).add_(X.float(), alpha=-a.lr * f * max(1, P[k].shape[1] / P[k].shape[2]) ** .5)
            P[k].grad = None
opt = Opt(); net = Net(c, P, dt, comp=gpu and not a.nocompile)
stages = [int(x) for x in a.stages.split(",")]; caps = [float(x) for x in a.caps.split(",")] if a.caps else [1.0] * len(stages)
if gpu: pick_backend(c, [(a.tokens // T, T) for T in stages], dev)
st = a.start; st_t0 = time.time(); st_steps = 0
gen_stream = torch.cuda.Stream() if gpu else None

def make(T):
    S, nq, lo, hi = PLAN[T]; B = max(1, a.tokens // T)
    b = w.batch(B, T, S, nq, lo, hi, density=random.uniform(.6, 1.7))
    m = b["ans"]; m[:, 0] = False; flat = m.flatten().nonzero()[:, 0]; b["apred"] = flat - 1; b["alabel"] = b["ids"].flatten()[flat]
    bi = torch.div(flat, T, rounding_mode="floor"); b["aq"] = bi * nq + b["ansq"].flatten()[flat]; b["T"], b["B"], b["nq"], b["hasprev_n"] = T, B, nq, b["nmean"]
    r = torch.randint(T - 1, (a.nlm,), device=dev) + T * torch.randint(B, (a.nlm,), device=dev); b["lpos"] = r; b["lok"] = b["used"].flatten()[r + 1]
    off = T * torch.arange(B, device=dev)[:, None]; ok = b["aok"].flatten().nonzero()[:, 0]
    b["xpos"] = (b["apos"] + off).flatten()[ok]; b["xkey"] = b["akey"].flatten()[ok]; b["xval"] = b["aval"].reshape(3, -1)[:, ok]; b["xlev"] = b["alev"].flatten()[ok]
    okr = b["rok"].flatten().nonzero()[:, 0]; okk = b["kok"].flatten().nonzero()[:, 0]   # query words: source of a link or alias, subject of a question
    b["spos"] = torch.cat([(b["rpos"] + off).flatten()[okr], (b["wpos"] + off).flatten()[okk]]); b["slab"] = torch.cat([b["rsrc"].flatten()[okr], b["qkey"].flatten()[okk]])
    okq = b["wok"].flatten().nonzero()[:, 0]; b["ypos"] = (b["qpos"] + off).flatten()[okq]; b["ylab"] = b["qlab"].flatten()[okq]
    return b
def prefetch(T):
    if not gpu: return make(T), None
    with torch.cuda.stream(gen_stream):
        b = make(T); e = torch.cuda.Event(); e.record(gen_stream)
    return b, e

def step(b, loc, af):
    T, B = b["T"], b["B"]; xl, yl, pen, al, xacc = [], [], [], [], {}
    def ah(x, pos, i):  # auxiliary read-out number i at flat positions
        return ((rms(x[pos], c.eps) @ P["aux"][i].to(dt)) @ P["emb"].to(dt).t()).float()
    def look(q, k, rows, tgt, ok):  # -log attention of the global heads from rows to their target
        R = rows.shape[1]; G = c.H // c.KV; j = torch.arange(T, device=dev)
        qr = q[:, :, -G:].gather(1, rows[:, :, None, None].expand(B, R, G, c.D)); s = torch.einsum("brgd,btd->brgt", qr, k[:, :, -1]).float() / math.sqrt(c.D)
        s = s.masked_fill(j > rows[:, :, None, None], -1e30); lp = s.gather(3, tgt[:, :, None, None].expand(B, R, G, 1))[..., 0] - torch.logsumexp(s, -1)
        return -(lp.mean(-1) * ok).sum() / ok.sum().clamp(min=1)
    def tap(l, x, q, k):
        if a.aux and 2 <= l <= c.L - 1:
            m = (b["xlev"] + 2 <= l)
            for i in range(3):
                v = b["xval"][i]; mi = m & (v >= 0); lg = ah(x, b["xpos"], i); ce = F.cross_entropy(lg, v.clamp(min=0), reduction="none"); xl.append((ce * mi).sum() / mi.sum().clamp(min=1) * (1 if i == 0 else .5))
                if i == 0 and l == c.L - 1: xacc["a"] = (lg.detach().argmax(-1) == v).float()
            if l <= 4: xl.append(F.cross_entropy(ah(x, b["xpos"], 3), b["xkey"])); xl.append(F.cross_entropy(ah(x, b["spos"], 4), b["slab"]))
            if 4 <= l <= c.L - 2 and len(b["ypos"]): yl.append(F.cross_entropy(ah(x, b["ypos"], 4), b["ylab"]))
        if a.att:
            n3 = b["rpos"].shape[1] - b["hasprev_n"]
            if l == 3: al.append(look(q, k, b["rpos"], b["rtgt"], b["rok"]))
            elif 3 < l <= c.L - 2: al.append(look(q, k, b["rpos"][:, :n3], b["rtgt"][:, :n3], b["rok"][:, :n3]))
            if l == 4: al.append(look(q, k, b["wpos"], b["wtgt"], b["wok"]))
            if l >= c.L - 1: al.append(look(q, k, b["qrow"], b["qtgt"], b["qrok"]))
        if loc and T >= 512:
            R = a.locrows; rows = torch.cat([torch.randint(T // 8, T, (R // 2,), device=dev), torch.randint(int(.82 * T), T, (R - R // 2,), device=dev)]); j = torch.arange(T, device=dev)
            qr = q[:, rows]; kk = k.repeat_interleave(c.H // c.KV, 2)
            s = torch.einsum("brhd,bthd->bhrt", qr, kk).float() / math.sqrt(c.D)
            s = s.masked_fill(j[None] > rows[:, None], -1e30); lse = torch.logsumexp(s, -1)
            near = (j[None] < 4) | (j[None] > rows[:, None] - a.locwin); lin = torch.logsumexp(s.masked_fill(~near, -1e30), -1)
            o = lse - lin; pen.append((o if l <= 2 or not a.att else o[:, :c.H - c.H // c.KV]).mean())
    x, W = net.train_forward(b["ids"], tap)
    n = len(b["apred"]); lg = net.head(torch.cat([x[b["apred"]], x[b["lpos"]]]), W)
    ce = F.cross_entropy(lg[:n], b["alabel"]); lm = (F.cross_entropy(lg[n:], b["ids"].flatten()[b["lpos"] + 1], reduction="none") * b["lok"]).sum() / b["lok"].sum()
    loss = ce + a.lm * lm; z = torch.zeros((), device=dev); ax = sum(xl) / len(xl) if xl else z; ay = sum(yl) / len(yl) if yl else z; pl = sum(pen) / len(pen) if pen else z
    at = sum(al) / len(al) if al else z; loss = loss + a.aux * (ax + .3 * ay) + loc * pl + a.att * af * at
    loss.backward()
    with torch.no_grad():
        wrong = (lg[:n].argmax(-1) != b["alabel"]).float(); bad = torch.zeros(B * b["nq"], device=dev).index_add_(0, b["aq"], wrong)
        seen = torch.zeros(B * b["nq"], device=dev).index_add_(0, b["aq"], torch.ones_like(wrong)) > 0
        tk = b["task"].flatten(); acc = torch.zeros(2, 11, device=dev); acc[0].index_add_(0, tk, ((bad == 0) & seen).float()); acc[1].index_add_(0, tk, seen.float())
        lv = torch.zeros(2, 6, device=dev)
        if "a" in xacc: lv[0].index_add_(0, b["xlev"], xacc["a"]); lv[1].index_add_(0, b["xlev"], torch.ones_like(xacc["a"]))
    return torch.stack([ce.detach(), lm.detach(), ax.detach(), ay.detach(), pl.detach(), at.detach()]), acc, lv

log = open(f"{a.out}/train_log.jsonl", "a"); r = [float("nan")] * 11; lv = r[:5]; tot_tok = 0; i = 0; win = []; lastsave = time.time(); wt = time.time()
def pickT():
    if a.T: return a.T
    if st > 0 and random.random() < a.mix: return stages[max(0, st - 1 - int(random.random() ** 2 * min(st, 3)))]
    return stages[st]
nxt = prefetch(pickT()); T0 = time.time(); lossw = 0
while True:
    el = time.time() - T0
    if el > a.seconds or i >= a.maxsteps: break
    fr = el / a.seconds; f = min(1, (i + 1) / a.warmup) * (1 if not a.decay or fr < 1 - a.decay else max(.03, (1 - fr) / a.decay))
    b, e = nxt
    if e is not None:
        torch.cuda.current_stream().wait_event(e)
        for v in b.values():
            if torch.is_tensor(v): v.record_stream(torch.cuda.current_stream())
    af = 1 if not a.attend else max(0, 1 - fr / a.attend) ; loc = a.loc * min(1, st_steps / 300) if stages[st] >= a.locfrom else 0
    ls, acc, lvt = step(b, loc, af); opt.step(f); tot_tok += b["T"] * b["B"]; i += 1; st_steps += 1; lossw = lossw + ls
    if b["T"] == stages[st]: win.append((acc, lvt))
    nxt = prefetch(pickT())
    if i % a.log == 0:
        ls = (lossw / a.log).tolist(); lossw = 0
        if win:
            s = sum(x for x, _ in win[-20:]).tolist(); l2 = sum(y for _, y in win[-20:]).tolist()
            r = [s[0][k] / s[1][k] if s[1][k] else float("nan") for k in range(11)]; lv = [l2[0][k] / l2[1][k] if l2[1][k] else float("nan") for k in range(5)]
        now = time.time(); rec = dict(step=i, t=round(now - T0, 1), T=stages[st], ce=ls[0], lm=ls[1], aux=ls[2], bridge=ls[3], pen=ls[4], att=ls[5], acc=r, auxacc=lv, tok=tot_tok, f=f, tps=round(a.log * a.tokens / (now - wt))); wt = now
        log.write(json.dumps(rec) + "\n"); log.flush()
        if i % (a.log * 4) == 0 or i <= 100: print(f"{i} {rec['t']}s T{stages[st]} ce {ls[0]:.3f} lm {ls[1]:.3f} aux {ls[2]:.3f} br {ls[3]:.3f} pen {ls[4]:.3f} att {ls[5]:.3f} | " + " ".join(f"{x:.2f}" for x in r) + " | " + " ".join(f"{x:.2f}" for x in lv) + f" | {rec['tps']/1e6:.2f}M/s", flush=True)
        rv = [x for x in r if x == x]; good = bool(rv) and sum(rv) / len(rv) > a.thr and min(rv) > a.thr - .1
        if st + 1 < len(stages) and st_steps >= a.minsteps and len(win) >= 20 and (good or now - st_t0 > caps[st] * a.seconds):
            print(f"-- stage {stages[st]} left at step {i}, {now - T0:.0f}s, {'accuracy' if good else 'TIME CAP'}: " + " ".join(f"{x:.3f}" for x in r), flush=True)
            st += 1; st_t0 = now; st_steps = 0; win = []
        if now - lastsave > 120: save(a.out); lastsave = now
if gpu: torch.cuda.synchronize()
save(a.out); print(f"done steps {i} tokens {tot_tok/1e6:.1f}M train {time.time()-T0:.1f}s total {time.time()-t00:.1f}s stage {stages[st]}" + (f" peak {torch.cuda.max_memory_allocated()/2**30:.1f}GiB" if gpu else ""), flush=True)
json.dump(dict(steps=i, tokens=tot_tok, seconds=time.time() - T0, args=vars(a), stage=stages[st]), open(f"{a.out}/train_end.json", "w"))
