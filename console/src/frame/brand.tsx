import bell from '../bell.svg'
import style from './frame.module.css'

/** The mark and the name. */
export const Brand = ({ size = 26 }: { size?: number }) => (
  <span className={style.brand}>
    <img src={bell} width={size} height={size} alt="" />
    Carillon
  </span>
)
